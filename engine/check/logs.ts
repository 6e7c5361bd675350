/** What must hold of logs and of what is committed in them. Each function judges one event, then takes it into account. */
import type { RaftEvent } from "../raft/events.ts";
import type { EntryId, Index } from "../raft/types.ts";
import type { EntryShown } from "../replica/events.ts";
import type { ProcessId } from "../sim/command.ts";
import { type Cluster, hasQuorum } from "./cluster.ts";
import { bareLink, idText, type Link, linkAfter, sameLink } from "./link.ts";
import type { CheckedLog, Member } from "./member.ts";
import { type Breach, breach } from "./violation.ts";

type EventOf<Type extends RaftEvent["type"]> = Extract<RaftEvent, { type: Type }>;

export function onTruncated(member: Member, from: Index): Breach | null {
  if (member.role === "leader")
    return breach("leader-append-only", { term: member.term, from, last: idText(member.log.last) });
  cutLog(member, from);
  return null;
}

function cutLog(member: Member, from: Index): void {
  const { log } = member;
  log.cut(from);
  if (member.lastConfChange < from) return;
  let index = from - 1;
  while (index > log.base.index && log.at(index)?.type === "normal") index -= 1;
  member.lastConfChange = index > log.base.index ? index : 0;
}

export function onEntries(cluster: Cluster, member: Member, entries: readonly EntryShown[]): Breach | null {
  const first = entries[0];
  if (first === undefined) return null;
  if (first.index <= member.log.last.index) {
    const problem = onTruncated(member, first.index);
    if (problem !== null) return problem;
  }
  for (const entry of entries) {
    const problem = appendChecked(cluster, member.log, entry);
    if (problem !== null) return problem;
    if (entry.type === "normal") continue;
    const { lastConfChange, applied, role } = member;
    if (role === "leader" && lastConfChange > applied)
      return breach("one-change-at-a-time", { change: entry.index, before: lastConfChange, applied });
    member.lastConfChange = entry.index;
  }
  return null;
}

/** Log matching: whoever holds an entry of this id holds the same chain up to it. */
function appendChecked(cluster: Cluster, log: CheckedLog, entry: EntryShown): Breach | null {
  const before = log.last;
  if (entry.index !== before.index + 1 || entry.term < before.term)
    return breach("log-matching", { entry: idText(entry), before: idText(before) });
  const link = linkAfter(before, entry);
  const made = cluster.madeAt(entry.term, entry.index);
  if (made !== undefined && !sameLink(made, link)) return breach("log-matching", { entry: idText(entry) });
  if (made === undefined && link.hash !== null) cluster.noteMade(link);
  log.push(made ?? link);
  return null;
}

/** What a disk held at the start, as a log. */
export function onRecoveredLog(
  cluster: Cluster,
  member: Member,
  snapshot: EntryId,
  entries: readonly EntryShown[],
): Breach | null {
  member.log.restart(linkOf(cluster, member, snapshot));
  member.lastConfChange = 0;
  for (const entry of entries) {
    const problem = appendChecked(cluster, member.log, entry);
    if (problem !== null) return problem;
    if (entry.type !== "normal") member.lastConfChange = entry.index;
  }
  return null;
}

/** The link of a snapshot's last entry, from wherever it is known. */
function linkOf(cluster: Cluster, { disk }: Member, id: EntryId): Link {
  const known = [cluster.committedAt(id.index), cluster.madeAt(id.term, id.index), disk.at(id.index)];
  return known.find((link) => link?.term === id.term) ?? bareLink(id);
}

/** The log begins anew behind a snapshot: that stands for committed entries only. */
export function onSnapshot(
  cluster: Cluster,
  member: Member,
  { snapshot }: EventOf<"snapshot-restoring">,
): Breach | null {
  if (member.role === "leader")
    return breach("leader-append-only", {
      term: member.term,
      snapshot: idText(snapshot),
      last: idText(member.log.last),
    });
  if (snapshot.index <= member.commit)
    return breach("commit-goes-back", { commit: member.commit, snapshot: idText(snapshot) });
  const problem = notCommitted(cluster, snapshot.index, bareLink(snapshot));
  if (problem !== null) return problem;
  member.log.restart(linkOf(cluster, member, snapshot));
  member.commit = snapshot.index;
  member.lastConfChange = 0;
  member.confChanges = [];
  member.confFrom = snapshot.index;
  return null;
}

export function onCommit(cluster: Cluster, member: Member, { from, to }: EventOf<"commit-advanced">): Breach | null {
  if (from !== member.commit || to <= from) return breach("commit-goes-back", { commit: member.commit, from, to });
  const link = member.log.at(to);
  if (link === undefined) return breach("commit-goes-back", { to, last: idText(member.log.last) });
  member.commit = to;
  return member.role === "leader" ? onLeaderCommit(cluster, member, link) : notCommitted(cluster, to, link);
}

/** A follower commits what a leader committed, and nothing else. */
function notCommitted(cluster: Cluster, index: Index, link: Link): Breach | null {
  if (index > cluster.commit)
    return breach("state-machine-safety", { index, entry: idText(link), committed: cluster.commit });
  const committed = cluster.committedAt(index);
  if (committed === undefined || sameLink(committed, link)) return null;
  return breach("state-machine-safety", { index, entry: idText(link), committed: idText(committed) });
}

export function onRecoveredCommit(cluster: Cluster, member: Member, commit: Index, snapshot: Index): Breach | null {
  member.commit = Math.max(commit, snapshot);
  member.applied = snapshot;
  member.machine = snapshot;
  const link = member.log.at(member.commit);
  return link === undefined ? null : notCommitted(cluster, member.commit, link);
}

function onLeaderCommit(cluster: Cluster, member: Member, link: Link): Breach | null {
  const { term, log, conf } = member;
  if (link.term !== term) return breach("commit-own-term", { entry: idText(link), term });
  const known = Math.min(link.index, cluster.commit);
  const held = log.at(known);
  const committed = cluster.committedAt(known);
  if (held !== undefined && committed !== undefined && !sameLink(held, committed))
    return breach("state-machine-safety", { index: known, entry: idText(held), committed: idText(committed) });
  const holds = (id: string): boolean => holdsDurably(cluster.members.get(id as ProcessId), link);
  if (conf !== null && !hasQuorum(conf, holds)) {
    const durable = [...cluster.members.keys()].filter(holds);
    const { voters, votersOutgoing } = conf;
    return breach("quorum-overlap", { entry: idText(link), durable, voters, votersOutgoing });
  }
  const count = link.index - cluster.commit;
  for (let index = cluster.commit + 1; index <= link.index; index += 1) {
    const next = log.at(index);
    if (next === undefined) return breach("leader-completeness", { term, index, base: log.base.index });
    cluster.committed.push(next);
  }
  cluster.commits.set(term, Math.max(cluster.commits.get(term) ?? 0, link.index));
  if (count > 0) cluster.noteCommits(count);
  return laterLeaderLacks(cluster, term, link);
}

/** A leader may commit when a later one is elected already: acknowledgements travel. The later one has the entry. */
function laterLeaderLacks(cluster: Cluster, term: number, link: Link): Breach | null {
  for (const later of cluster.members.values()) {
    if (later.role !== "leader" || later.term <= term || later.log.base.index >= link.index) continue;
    const held = later.log.at(link.index);
    if (held === undefined || !sameLink(held, link))
      return breach("leader-completeness", { term: later.term, leader: later.id, committed: idText(link) });
  }
  return null;
}

function holdsDurably(member: Member | undefined, link: Link): boolean {
  if (member === undefined) return false;
  const { disk } = member;
  if (disk.base.index >= link.index) return true;
  const held = disk.at(link.index);
  return held !== undefined && sameLink(held, link);
}
