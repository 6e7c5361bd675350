/** What must hold of terms, votes and roles. Each function judges one event, then takes it into account. */
import type { RaftEvent } from "../raft/events.ts";
import type { NodeId, Term } from "../raft/types.ts";
import type { ProcessId } from "../sim/command.ts";
import { type Cluster, hasQuorum } from "./cluster.ts";
import { idText, sameLink } from "./link.ts";
import type { Member } from "./member.ts";
import { type Breach, breach } from "./violation.ts";

type EventOf<Type extends RaftEvent["type"]> = Extract<RaftEvent, { type: Type }>;

export function onRole(
  cluster: Cluster,
  member: Member,
  incarnation: number,
  { role, term }: EventOf<"role-changed">,
): Breach | null {
  if (term < member.term) return breach("term-goes-back", { before: member.term, term });
  if (role === "pre-candidate" && term !== member.term)
    return breach("pre-vote-is-free", { before: member.term, term });
  if (role !== "follower" && !member.isVoter()) return breach("only-voters-stand", { role, voters: votersOf(member) });
  member.role = role;
  member.term = term;
  if (role !== "leader") return null;
  member.reads.clear();
  return onLeader(cluster, member, incarnation);
}

/** A pre-vote is about a term that nobody has reached: it is no reason to reach it. */
export function onHigherTerm({ message, term }: EventOf<"higher-term-seen">): Breach | null {
  const asks = message.type === "RequestVote" && message.pre;
  const grants = message.type === "RequestVoteReply" && message.pre && message.granted;
  return asks || grants
    ? breach("pre-vote-is-free", { message: message.type, from: message.from, theirs: message.term, ours: term })
    : null;
}

/**
 * A vote that left, or a candidate's own that was counted. (One that stands and crashes before its own vote is durable
 * has not given it: it may vote for another one when it is back.)
 */
export function onVote(cluster: Cluster, voter: ProcessId, term: Term, candidate: NodeId): Breach | null {
  let votes = cluster.votes.get(term);
  if (votes === undefined) {
    cluster.noteTerm(term);
    votes = new Map();
    cluster.votes.set(term, votes);
  }
  const before = votes.get(voter);
  if (before !== undefined && before !== candidate) return breach("one-vote-a-term", { term, before, candidate });
  votes.set(voter, candidate);
  return null;
}

function onLeader(cluster: Cluster, member: Member, incarnation: number): Breach | null {
  const { term, id, node, conf } = member;
  const other = cluster.leaders.get(term);
  if (other !== undefined) return breach("election-safety", { term, leaders: [other.id, id] });
  cluster.leaders.set(term, { id, incarnation });
  const votes = cluster.votes.get(term);
  if (conf !== null && !hasQuorum(conf, (voter) => votes?.get(voter as string as ProcessId) === node)) {
    const granted = [...(votes ?? [])].filter(([, candidate]) => candidate === node).map(([voter]) => voter);
    return breach("quorum-overlap", { term, granted, voters: conf.voters, votersOutgoing: conf.votersOutgoing });
  }
  return lacksCommitted(cluster, member) ?? olderLeaderCanCommit(cluster, member);
}

/** Leader completeness, for all that was committed in terms before. */
function lacksCommitted(cluster: Cluster, { log, term }: Member): Breach | null {
  let index = 0;
  for (const [older, commit] of cluster.commits) if (older < term && commit > index) index = commit;
  if (index <= log.base.index) return null;
  const committed = cluster.committedAt(index);
  const held = log.at(index);
  if (committed === undefined || (held !== undefined && sameLink(held, committed))) return null;
  return breach("leader-completeness", {
    term,
    committed: idText(committed),
    held: held === undefined ? null : idText(held),
    last: idText(log.last),
  });
}

/** Members that have not reached the new term are all that an older leader may still hear from. */
function olderLeaderCanCommit(cluster: Cluster, { term, id }: Member): Breach | null {
  for (const old of cluster.members.values()) {
    const { conf } = old;
    if (old.role !== "leader" || old.term >= term || conf === null) continue;
    if (!hasQuorum(conf, (voter) => (cluster.members.get(voter as string as ProcessId)?.term ?? 0) <= old.term))
      continue;
    return breach("one-leader-commits", { older: old.id, olderTerm: old.term, newer: id, newerTerm: term });
  }
  return null;
}

/** A leader hands over only to one that lacks nothing of its log. */
export function onTimeoutNow(cluster: Cluster, { log }: Member, { to }: EventOf<"timeout-now-sent">): Breach | null {
  const target = cluster.members.get(to as string as ProcessId);
  const held = target?.disk.at(log.last.index);
  if (target === undefined || target.damaged || target.disk.base.index > log.last.index) return null;
  if (held !== undefined && sameLink(held, log.last)) return null;
  return breach("transfer-to-complete", { to, last: idText(log.last), held: idText(target.disk.last) });
}

function votersOf({ conf }: Member): readonly string[] {
  return conf === null ? [] : [...conf.voters, ...conf.votersOutgoing];
}
