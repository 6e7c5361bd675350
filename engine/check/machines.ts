/** What must hold of machines, configurations, answers and reads: of what applied entries do. */
import { removeAt } from "../base/lists.ts";
import { mixString } from "../base/hash.ts";
import type { RaftEvent } from "../raft/events.ts";
import type { ConfState, Index } from "../raft/types.ts";
import type { ReplicaEvent } from "../replica/events.ts";
import type { Cluster } from "./cluster.ts";
import { idText } from "./link.ts";
import type { Member } from "./member.ts";
import { type Breach, breach } from "./violation.ts";

type EventOf<Type extends (RaftEvent | ReplicaEvent)["type"]> = Extract<RaftEvent | ReplicaEvent, { type: Type }>;

/** What is handed out to be applied is committed, and the changes of membership in it come into force one by one. */
export function onHandedOut(member: Member, { from, to }: EventOf<"apply-handed-out">): Breach | null {
  if (to > member.commit) return breach("commit-goes-back", { commit: member.commit, apply: to });
  if (member.lastConfChange <= from) return null;
  const changes: Index[] = [];
  for (let index = from + 1; index <= to; index += 1)
    if ((member.log.at(index)?.type ?? "normal") !== "normal") changes.push(index);
  if (changes.length > 0) member.confChanges = [...member.confChanges, ...changes];
  return null;
}

export function onApplied(member: Member, { from, to }: EventOf<"applied">): Breach | null {
  if (to > member.commit || from !== member.applied)
    return breach("commit-goes-back", { commit: member.commit, applied: member.applied, from, to });
  member.applied = to;
  return null;
}

/** State-machine safety: each command once, in order, and everybody's machine comes to the same state. */
export function onCommand(
  cluster: Cluster,
  member: Member,
  { index, summary }: EventOf<"command-applied">,
): Breach | null {
  if (index <= member.machine || index > member.commit)
    return breach("state-machine-safety", { index, machine: member.machine, commit: member.commit });
  member.machine = index;
  const state = mixString(0, summary ?? "");
  const { machines } = cluster;
  if (index > machines.last) {
    const before = machines.at(machines.last) ?? EMPTY_STATE;
    while (machines.last < index - 1) machines.push(before);
    machines.push(state);
    return null;
  }
  return otherState(cluster, index, state);
}

/** From a snapshot, or from the disk at the start. */
export function onMachineRestored(
  cluster: Cluster,
  member: Member,
  index: Index,
  summary: string | null,
): Breach | null {
  member.machine = index;
  return otherState(cluster, index, mixString(0, summary ?? ""));
}

const EMPTY_STATE = mixString(0, "");

function otherState(cluster: Cluster, index: Index, state: number): Breach | null {
  const { machines } = cluster;
  const known = index > machines.last ? machines.at(machines.last) : machines.at(index);
  if (index === 0 || known === undefined || known === state) return null;
  const link = cluster.committedAt(index);
  return breach("state-machine-safety", { index, entry: link === undefined ? null : idText(link), states: ["differ"] });
}

/** A configuration comes into force: by an applied entry, a snapshot, or at the start. */
export function onConf(cluster: Cluster, member: Member, conf: ConfState): Breach | null {
  const fromApplied = member.confFrom === null;
  const index = member.confFrom ?? member.confChanges[0];
  member.confFrom = null;
  member.conf = conf;
  if (index === undefined) return null;
  if (fromApplied) member.confChanges = member.confChanges.slice(1);
  const newest = cluster.confs.at(-1);
  if (newest === undefined || (fromApplied && index > newest.index)) {
    cluster.confs.push({ index, conf });
    return null;
  }
  const known = cluster.confAt(index);
  // One that joins a cluster starts empty.
  if (known === null || sameConf(known, conf) || (index === 0 && conf.voters.length === 0)) return null;
  return breach("configuration-agrees", {
    index,
    voters: conf.voters,
    votersThere: known.voters,
    learners: conf.learners,
  });
}

function sameConf(a: ConfState, b: ConfState): boolean {
  const same = (x: readonly string[], y: readonly string[]): boolean =>
    x.length === y.length && x.every((id, i) => id === y[i]);
  return (
    a === b ||
    (same(a.voters, b.voters) &&
      same(a.votersOutgoing, b.votersOutgoing) &&
      same(a.learners, b.learners) &&
      same(a.learnersNext, b.learnersNext) &&
      a.autoLeave === b.autoLeave)
  );
}

export function onRequest(member: Member, { client, request, key }: EventOf<"request-received">): void {
  const { requests } = member;
  const asked = member.request(client, request);
  if (asked === null) requests.push({ client, request, keys: [key] });
  else asked.keys = [...asked.keys.slice(-KEYS_KEPT), key];
  // Many are never answered: their connection broke.
  if (requests.length > REQUESTS_KEPT) removeAt(requests, 0);
}

const KEYS_KEPT = 8;
const REQUESTS_KEPT = 1_000;

export function onAnswered(cluster: Cluster, member: Member, event: EventOf<"request-answered">): Breach | null {
  const { client, request, index } = event;
  const asked = member.request(client, request);
  if (index > member.commit || index > cluster.commit)
    return breach("acknowledged-write", { client, request, index, commit: member.commit, committed: cluster.commit });
  const held = cluster.committedAt(index);
  if (asked === null || held === undefined) return null;
  const { keys } = asked;
  const left = keys.filter((key) => key !== held.request);
  if (left.length === keys.length)
    return breach("acknowledged-write", { client, request, index, keys, held: held.request });
  if (left.length === 0) member.forgetRequest(client, request);
  else asked.keys = left;
  return null;
}

/** A leader is asked for a read index: by now, so much is committed. */
export function onReadAsked(cluster: Cluster, member: Member, context: string): void {
  if (!member.reads.has(context)) member.reads.set(context, cluster.commit);
}

export function onReadConfirmed(
  cluster: Cluster,
  member: Member,
  event: EventOf<"read-index-confirmed">,
): Breach | null {
  const { context, index } = event;
  const committed = member.reads.get(context) ?? cluster.commit;
  member.reads.delete(context);
  return index >= committed ? null : breach("linearizable-read", { context, index, committed, term: member.term });
}
