/** One glance, one answer: who leads, or why nobody does. Pure facts; the words are i18n's. */
import {
  type ConfView,
  linkKey,
  type MemberView,
  type ProcessId,
  type ServerView,
  type View,
} from "../../engine/index.ts";
import { currentConf, isQuorum, majority } from "../store/conf.ts";

export type Standing =
  | { readonly is: "leads" | "alone"; readonly leader: ProcessId; readonly term: number }
  | { readonly is: "campaign" | "pre-campaign"; readonly candidate: ProcessId; readonly term: number }
  | { readonly is: "campaigns"; readonly count: number }
  | { readonly is: "majority-down"; readonly up: number; readonly members: number; readonly needed: number }
  | { readonly is: "majority-apart"; readonly members: number; readonly needed: number }
  /** Of a joint configuration: each half needs a majority of its own. */
  | { readonly is: "majority-joint"; readonly voters: string; readonly outgoing: string }
  /** Servers without an election: which ones take writes, and how many follow. */
  | { readonly is: "primaries"; readonly primaries: readonly ProcessId[]; readonly replicas: number }
  | { readonly is: "waiting" | "starting" };

export interface Headline {
  readonly standing: Standing;
  /** Of the voters of the configuration that counts. */
  readonly up: number;
  readonly members: number;
  readonly learners: number;
  /** Both halves of a joint configuration, as words; null while it is not joint. */
  readonly joint: { readonly voters: string; readonly outgoing: string } | null;
  /** The highest index that anyone running knows to be committed. */
  readonly commit: number;
  /** Sets of members that reach each other, when there is more than one: largest first. */
  readonly groups: readonly (readonly ProcessId[])[];
}

type Facts = Pick<View, "members" | "cuts"> & { readonly servers?: readonly ServerView[] };

const isUp = (member: MemberView): boolean => member.liveness === "running" || member.liveness === "paused";

function linked(cuts: ReadonlySet<string>, a: ProcessId, b: ProcessId): boolean {
  return !cuts.has(linkKey({ from: a, to: b })) && !cuts.has(linkKey({ from: b, to: a }));
}

/** Members in sets that reach each other, directly or through others, both ways. */
export function reachGroups(ids: readonly ProcessId[], cuts: ReadonlySet<string>): readonly (readonly ProcessId[])[] {
  const left = new Set(ids);
  const groups: ProcessId[][] = [];
  for (const id of ids) {
    if (!left.delete(id)) continue;
    const group = [id];
    for (const from of group) {
      for (const to of left) {
        if (!linked(cuts, from, to)) continue;
        left.delete(to);
        group.push(to);
      }
    }
    groups.push(group.sort((a, b) => ids.indexOf(a) - ids.indexOf(b)));
  }
  return groups.sort((a, b) => b.length - a.length);
}

function standingOf(all: readonly MemberView[], conf: ConfView, cuts: ReadonlySet<string>): Standing {
  if (all.length === 0) return { is: "starting" };
  const members = conf.voters.length;
  const needed = majority(members);
  const running = all.filter((member) => member.liveness === "running");
  const runs = (id: ProcessId): boolean => running.some((member) => member.id === id);
  /** Whether it and those that it reaches directly, both ways, are a majority. */
  const reachesMajority = ({ id }: MemberView): boolean =>
    isQuorum(conf, (other) => runs(other) && (other === id || linked(cuts, id, other)));
  const latest = (a: MemberView, b: MemberView): number => b.term - a.term;
  const leader = all.filter((member) => isUp(member) && member.role === "leader").sort(latest)[0];
  if (leader !== undefined) {
    const reaches = leader.liveness === "running" && reachesMajority(leader);
    return { is: reaches ? "leads" : "alone", leader: leader.id, term: leader.term };
  }
  if (!isQuorum(conf, runs)) {
    if (conf.votersOutgoing.length > 0) return { is: "majority-joint", ...halves(conf) };
    return { is: "majority-down", up: conf.voters.filter(runs).length, members, needed };
  }
  if (!running.some(reachesMajority)) {
    if (conf.votersOutgoing.length > 0) return { is: "majority-joint", ...halves(conf) };
    return { is: "majority-apart", members, needed };
  }
  const candidates = running.filter((member) => member.role === "candidate").sort(latest);
  const [first, second] = candidates;
  if (first !== undefined) {
    return second === undefined
      ? { is: "campaign", candidate: first.id, term: first.term }
      : { is: "campaigns", count: candidates.length };
  }
  const asking = running.find((member) => member.role === "pre-candidate");
  if (asking !== undefined) return { is: "pre-campaign", candidate: asking.id, term: asking.term + 1 };
  return { is: "waiting" };
}

const halves = ({ voters, votersOutgoing }: ConfView): { readonly voters: string; readonly outgoing: string } => ({
  voters: voters.join(" "),
  outgoing: votersOutgoing.join(" "),
});

/** Before anybody knows a configuration, all that are there. */
const everybody = (members: Facts["members"]): ConfView => ({
  voters: [...members.keys()],
  votersOutgoing: [],
  learners: [],
  learnersNext: [],
});

function primariesOf(members: Facts["members"], servers: readonly ServerView[]): Standing {
  const up = servers.filter(({ id }) => {
    const member = members.get(id);
    return member !== undefined && isUp(member);
  });
  const primaries = up.filter(({ role }) => role === "primary").map(({ id }) => id);
  return { is: "primaries", primaries, replicas: up.length - primaries.length };
}

export function headline({ members, cuts, servers = [] }: Facts): Headline {
  const all = [...members.values()];
  const conf = currentConf(members) ?? everybody(members);
  const voters = all.filter(({ id }) => conf.voters.includes(id));
  const groups = reachGroups(
    all.map((member) => member.id),
    cuts,
  );
  return {
    standing: servers.length > 0 ? primariesOf(members, servers) : standingOf(all, conf, cuts),
    up: voters.filter(isUp).length,
    members: conf.voters.length,
    learners: new Set([...conf.learners, ...conf.learnersNext]).size,
    joint: conf.votersOutgoing.length > 0 ? halves(conf) : null,
    commit: Math.max(0, ...all.filter(isUp).map((member) => member.commit)),
    groups: groups.length > 1 ? groups : [],
  };
}
