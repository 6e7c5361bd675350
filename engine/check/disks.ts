/** What must hold of disks, and of promises that rest on them. Each function judges one event, then takes it into account. */
import { removeFirst } from "../base/lists.ts";
import type { EntryId, Message, Term } from "../raft/types.ts";
import type { ReplicaEvent } from "../replica/events.ts";
import type { Cluster } from "./cluster.ts";
import { onVote } from "./elections.ts";
import { bareLink, idText, type Link, sameLink } from "./link.ts";
import type { CheckedLog, Member, Writing } from "./member.ts";
import { type Breach, breach } from "./violation.ts";

type EventOf<Type extends ReplicaEvent["type"]> = Extract<ReplicaEvent, { type: Type }>;

export function onPersist({ log, writing }: Member, event: EventOf<"persist-begun">): void {
  const { hardState, entries, snapshot } = event;
  const base = snapshot === null ? null : (log.at(snapshot.index) ?? bareLink(snapshot));
  writing.push({ token: null, hardState, links: linksOf(log, entries), snapshot: base, compact: 0 });
}

const NO_LINKS: readonly Link[] = [];

function linksOf(log: CheckedLog, entries: EventOf<"persist-begun">["entries"]): readonly Link[] {
  if (entries === null) return NO_LINKS;
  const linkAt = (index: number): Link => log.at(index) ?? bareLink({ term: 0, index });
  const links = [linkAt(entries.first.index)];
  for (let index = entries.first.index + 1; index <= entries.last.index; index += 1) links.push(linkAt(index));
  return links;
}

/** A snapshot of the own machine: the sync that makes it durable has just begun. */
export function onSnapshotTaken(member: Member, { last }: EventOf<"snapshot-taken">): void {
  const token = member.writing.at(-1)?.token ?? null;
  member.writing.push({ token, hardState: null, links: NO_LINKS, snapshot: null, compact: last.index });
}

export function onSyncBegan(member: Member, token: number): void {
  for (const write of member.writing) write.token ??= token;
}

export function onSynced(member: Member, token: number): void {
  let count = 0;
  for (const write of member.writing) {
    if (write.token === null || write.token > token) break;
    count += 1;
    settle(member, write);
  }
  removeFirst(member.writing, count);
}

function settle(member: Member, { hardState, links, snapshot, compact }: Writing): void {
  const { disk } = member;
  if (hardState !== null) {
    member.diskTerm = hardState.term;
    member.diskVote = hardState.vote;
  }
  if (snapshot !== null) disk.restart(snapshot);
  const first = links[0];
  if (first !== undefined && first.index > disk.base.index) {
    disk.cut(first.index);
    for (const link of links) disk.push(link);
  }
  if (compact > 0) disk.compact(compact);
}

/** Votes and acknowledgements leave for others only when what they rest on is durable. */
export function onSent(cluster: Cluster, member: Member, message: Message): Breach | null {
  if (message.type === "AppendEntriesReply")
    return message.rejected ? null : ackTooEarly(member, message.term, message.index);
  if (leadsOrAsks(message)) return termTooEarly(member, message.term);
  if (message.type !== "RequestVoteReply" || !message.granted || message.pre) return null;
  const { term, to } = message;
  if (member.term === term && (member.role === "candidate" || member.role === "leader"))
    return breach("one-vote-a-term", { term, before: member.node, candidate: to });
  return onVote(cluster, member.id, term, to) ?? voteTooEarly(member, term, to);
}

/** What only a candidate or a leader of its term says. */
function leadsOrAsks(message: Message): boolean {
  switch (message.type) {
    case "RequestVote":
      return !message.pre;
    case "AppendEntries":
    case "Heartbeat":
    case "InstallSnapshot":
      return true;
    default:
      return false;
  }
}

/** Could it stand once more in this term after a crash, and be elected twice? */
function termTooEarly({ diskTerm }: Member, term: Term): Breach | null {
  return diskTerm >= term ? null : breach("promise-before-fsync", { promise: "term", term, diskTerm });
}

/** The own vote counts like anybody's: when it is durable. */
export function onOwnVote(cluster: Cluster, member: Member, term: Term): Breach | null {
  return onVote(cluster, member.id, term, member.node) ?? voteTooEarly(member, term, member.node);
}

/** Could it vote for another one in this term after a crash? */
function voteTooEarly({ diskTerm, diskVote }: Member, term: Term, candidate: string): Breach | null {
  return diskTerm > term || (diskTerm === term && diskVote === candidate)
    ? null
    : breach("promise-before-fsync", { promise: "vote", term, candidate, diskTerm, diskVote });
}

/**
 * Could it lack the entry, or follow an older leader, after a crash? An entry that a later leader replaced before it was
 * ever written is not lacking: what that leader sent is durable in its place.
 */
export function ackTooEarly({ diskTerm, disk }: Member, term: Term, index: number): Breach | null {
  return diskTerm >= term && (disk.last.index >= index || disk.last.term > term)
    ? null
    : breach("promise-before-fsync", { promise: "entries", term, index, diskTerm, diskLast: disk.last.index });
}

/** What it finds on its disk: all that was durable, and perhaps a part of what was on its way. */
export function onRecoveredDisk(member: Member, event: EventOf<"recovered">, log: CheckedLog): Breach | null {
  const problem = member.damaged ? null : lostDurable(member, event, log);
  member.diskTerm = event.term;
  member.diskVote = event.vote;
  member.writing.length = 0;
  member.disk.restart(log.base);
  for (let index = log.base.index + 1; index <= log.last.index; index += 1)
    member.disk.push(log.at(index) ?? bareLink({ term: 0, index }));
  return problem;
}

function lostDurable(
  { diskTerm, diskVote, disk, writing }: Member,
  event: EventOf<"recovered">,
  log: CheckedLog,
): Breach | null {
  const { term, vote } = event;
  if (term < diskTerm || (term === diskTerm && diskVote !== null && vote !== diskVote))
    return breach("durable-is-kept", { term, vote, diskTerm, diskVote });
  // Writes on their way may have replaced entries, or all of the log.
  let sureTo = disk.last.index;
  for (const { links, snapshot } of writing) {
    const first = snapshot?.index ?? links[0]?.index;
    if (first !== undefined) sureTo = Math.min(sureTo, first - 1);
  }
  if (sureTo <= log.base.index) return log.base.index >= disk.base.index ? null : lost(disk.base, log);
  const durable = disk.at(sureTo);
  const found = log.at(sureTo);
  if (durable === undefined || (found !== undefined && sameLink(found, durable))) return null;
  return lost(durable, log);
}

function lost(durable: EntryId, log: CheckedLog): Breach {
  return breach("durable-is-kept", { durable: idText(durable), base: idText(log.base), last: idText(log.last) });
}
