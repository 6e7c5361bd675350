/** One glance, one answer: who leads, or why nobody does. Pure facts; the words are i18n's. */
import { linkKey, type MemberView, type ProcessId, type View } from "../../engine/index.ts";

export type Standing =
  | { readonly is: "leads" | "alone"; readonly leader: ProcessId; readonly term: number }
  | { readonly is: "campaign" | "pre-campaign"; readonly candidate: ProcessId; readonly term: number }
  | { readonly is: "campaigns"; readonly count: number }
  | { readonly is: "majority-down"; readonly up: number; readonly members: number; readonly needed: number }
  | { readonly is: "majority-apart"; readonly members: number; readonly needed: number }
  | { readonly is: "waiting" | "starting" };

export interface Headline {
  readonly standing: Standing;
  readonly up: number;
  readonly members: number;
  /** The highest index that anyone running knows to be committed. */
  readonly commit: number;
  /** Sets of members that reach each other, when there is more than one: largest first. */
  readonly groups: readonly (readonly ProcessId[])[];
}

type Facts = Pick<View, "members" | "cuts">;

const isUp = (member: MemberView): boolean => member.liveness === "running" || member.liveness === "paused";

export function majority(members: number): number {
  return Math.floor(members / 2) + 1;
}

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

/** Itself, and all running members that it reaches directly both ways. */
function reachOf(member: MemberView, running: readonly MemberView[], cuts: ReadonlySet<string>): number {
  return running.filter((other) => other.id === member.id || linked(cuts, member.id, other.id)).length;
}

function standingOf(all: readonly MemberView[], cuts: ReadonlySet<string>): Standing {
  if (all.length === 0) return { is: "starting" };
  const needed = majority(all.length);
  const running = all.filter((member) => member.liveness === "running");
  const latest = (a: MemberView, b: MemberView): number => b.term - a.term;
  const leader = all.filter((member) => isUp(member) && member.role === "leader").sort(latest)[0];
  if (leader !== undefined) {
    const reaches = leader.liveness === "running" && reachOf(leader, running, cuts) >= needed;
    return { is: reaches ? "leads" : "alone", leader: leader.id, term: leader.term };
  }
  if (running.length < needed) return { is: "majority-down", up: running.length, members: all.length, needed };
  if (running.every((member) => reachOf(member, running, cuts) < needed))
    return { is: "majority-apart", members: all.length, needed };
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

export function headline({ members, cuts }: Facts): Headline {
  const all = [...members.values()];
  const groups = reachGroups(
    all.map((member) => member.id),
    cuts,
  );
  return {
    standing: standingOf(all, cuts),
    up: all.filter(isUp).length,
    members: all.length,
    commit: Math.max(0, ...all.filter(isUp).map((member) => member.commit)),
    groups: groups.length > 1 ? groups : [],
  };
}
