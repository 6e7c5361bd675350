/**
 * Known ways to get Raft wrong, each as a change of one place in the sources.
 *
 * `find` stands exactly once in its file (a test sees to that) and gives way to `replace`. `meant` names what must catch
 * the mutant: rules of `check/`, `liveness` (the cluster does not get on once all is well), or `transcripts` (those of
 * go.etcd.io/raft, for what no invariant forbids). `stage` is a case of `cases.ts` that leads straight to it.
 */
import type { RuleName } from "../../check/violation.ts";
import type { CaseName } from "./cases.ts";
import type { Change } from "./change.ts";

export type Catcher = RuleName | "liveness" | "transcripts";

export interface Mutant extends Change {
  readonly meant: readonly Catcher[];
  readonly stage?: CaseName;
}

export const MUTANTS: readonly Mutant[] = [
  // Votes and terms
  {
    name: "votes for whoever asks",
    file: "raft/elections.ts",
    find: "peer.vote === ask.from || (peer.vote === null && peer.leader === null) || (ask.pre && ask.term > peer.term);",
    replace: "true;",
    meant: ["one-vote-a-term"],
  },
  {
    name: "votes without looking at the candidate's log (§5.4.1)",
    file: "raft/elections.ts",
    find: "if (compareEntryId(ask.last, ours) < 0 && ",
    replace: "if (compareEntryId(ask.last, ours) < -Infinity && ",
    meant: ["leader-completeness"],
  },
  {
    name: "compares logs by length alone (§5.4.1)",
    file: "raft/log.ts",
    find: "return a.term !== b.term ? a.term - b.term : a.index - b.index;",
    replace: "return a.index - b.index;",
    meant: ["leader-completeness", "transcripts"],
  },
  {
    name: "forgets its vote while it runs",
    file: "raft/elections.ts",
    find: "  resetElectionTimer(peer);\n  peer.vote = ask.from;",
    replace: "  resetElectionTimer(peer);",
    meant: ["promise-before-fsync", "one-vote-a-term"],
  },
  {
    name: "votes twice after a restart",
    file: "raft/peer.ts",
    find: '  peer.vote = peer.broken.has("forget-vote") ? null : vote;\n',
    replace: "",
    meant: ["one-vote-a-term"],
    stage: "restarts",
  },
  {
    name: "begins again at term 0 after a restart",
    file: "raft/peer.ts",
    find: "  peer.term = term;\n  peer.vote = peer",
    replace: "  peer.vote = peer",
    meant: ["term-goes-back"],
    stage: "restarts",
  },
  {
    name: "stands for election without raising the term",
    file: "raft/roles.ts",
    find: 'reset(peer, peer.term + 1, "candidate");',
    replace: 'reset(peer, peer.term, "candidate");',
    meant: ["one-vote-a-term", "election-safety"],
  },
  {
    name: "leads on half of the votes",
    file: "raft/quorum.ts",
    find: "const needed = half.length === 0 ? 0 : Math.floor(half.length / 2) + 1;",
    replace: "const needed = Math.ceil(half.length / 2);",
    meant: ["quorum-overlap"],
    stage: "even",
  },
  {
    name: "listens to messages of the term before",
    file: "raft/step.ts",
    find: "if (term < peer.term) {",
    replace: "if (term < peer.term - 1) {",
    meant: ["term-goes-back", "log-matching", "leader-append-only", "state-machine-safety"],
  },
  {
    name: "a leader does not step down before a higher term (§5.1)",
    file: "raft/step.ts",
    find: "  becomeFollower(peer, message.term, leader, why);\n  return true;",
    replace:
      '  if (peer.role === "leader") return false;\n  becomeFollower(peer, message.term, leader, why);\n  return true;',
    meant: ["one-leader-commits", "liveness", "transcripts"],
  },
  {
    name: "a pre-vote raises the receiver's term (thesis §9.6)",
    file: "raft/step.ts",
    find: "if (message.pre) return true;",
    replace: "",
    meant: ["pre-vote-is-free"],
  },
  {
    name: "a granted pre-vote raises the asker's term (thesis §9.6)",
    file: "raft/step.ts",
    find: 'if (message.type === "RequestVoteReply" && message.pre && message.granted) return true;',
    replace: "",
    meant: ["pre-vote-is-free"],
  },
  {
    name: "a pre-candidate raises its own term (thesis §9.6)",
    file: "raft/roles.ts",
    find: '  peer.votes.clear();\n  enter(peer, "pre-candidate", null, why);',
    replace: '  peer.votes.clear();\n  peer.term += 1;\n  enter(peer, "pre-candidate", null, why);',
    meant: ["pre-vote-is-free"],
  },
  {
    name: "the lease of a leader protects nothing (thesis §4.2.3)",
    file: "raft/elections.ts",
    find: "const leased = peer.checkQuorum && peer.leader !== null && peer.electionElapsed < electionTicks;",
    replace: "const leased = false as boolean;",
    meant: ["transcripts"],
  },
  {
    name: "a leader without a quorum goes on (thesis §6.2)",
    file: "raft/leader.ts",
    find: "if (silent(peer.incoming) || silent(peer.outgoing)) stepDown(peer);",
    replace: "if (silent([])) stepDown(peer);",
    meant: ["transcripts"],
  },
  {
    name: "a learner stands for election (thesis §4.2.1)",
    file: "raft/state.ts",
    find: "return peer.own !== null && !peer.own.learner && peer.log.pendingSnapshot === null;",
    replace: "return peer.own !== null && peer.log.pendingSnapshot === null;",
    meant: ["only-voters-stand"],
    stage: "learner-alone",
  },

  // The log
  {
    name: "does not cut off what conflicts (§5.3)",
    file: "raft/log.ts",
    find: "this.append(known === 0 ? entries : entries.slice(known));",
    replace: "this.append(entries.filter((entry) => entry.index > this.lastIndex));",
    meant: ["log-matching", "state-machine-safety", "quorum-overlap"],
    stage: "conflict",
  },
  {
    name: "a late append cuts off what came after it (§5.3)",
    file: "raft/log.ts",
    find: "const known = entries.findIndex((entry) => !this.holds(entry));",
    replace: "const known = entries.findIndex((entry) => entry.index > this.commit);",
    meant: ["promise-before-fsync", "quorum-overlap", "leader-completeness", "no-panic"],
  },
  {
    name: "appends without the entry before (§5.3)",
    file: "raft/follower.ts",
    find: "if (!log.holds(prev) && !longEnough) return",
    replace: "if (prev.index > log.lastIndex && !longEnough) return",
    meant: ["log-matching", "no-panic"],
    stage: "conflict",
  },
  {
    name: "acknowledges an entry that it does not have",
    file: "raft/follower.ts",
    find: "  acknowledge(peer, from, lastNew);\n}",
    replace: "  acknowledge(peer, from, lastNew + 1);\n}",
    meant: ["promise-before-fsync"],
  },
  {
    name: "commits all that a leader sends",
    file: "raft/follower.ts",
    find: "log.commitTo(Math.min(append.leaderCommit, lastNew));",
    replace: "log.commitTo(lastNew);",
    meant: ["state-machine-safety"],
  },
  {
    name: "a heartbeat tells of a commit beyond what its receiver holds",
    file: "raft/replication.ts",
    find: "const leaderCommit = progress.match < commit ? progress.match : commit;",
    replace: "const leaderCommit = commit;",
    meant: ["state-machine-safety", "no-panic"],
  },
  {
    name: "takes a refused append for an accepted one",
    file: "raft/leader.ts",
    find: "if (reply.rejected) return takeRefusal(peer, from, reply);",
    replace: "if (reply.rejected && reply.index < 0) return takeRefusal(peer, from, reply);",
    meant: ["quorum-overlap", "no-panic"],
  },
  {
    name: "never goes back when an append is refused (§5.3)",
    file: "raft/progress.ts",
    find: "progress.next = Math.max(Math.min(refused, mayMatch + 1), progress.match + 1);",
    replace: "progress.next = Math.max(refused + 1, mayMatch + 1);",
    meant: ["liveness", "transcripts"],
    stage: "conflict",
  },
  {
    name: "a new leader appends no entry of its own (§8)",
    file: "raft/roles.ts",
    find: "  appendFirst();\n",
    replace: "",
    meant: ["transcripts", "liveness"],
  },
  {
    name: "the commit index may fall",
    file: "raft/log.ts",
    find: "if (index <= this.commit) return;\n    if (index > this.lastIndex)",
    replace: "if (index === this.commit) return;\n    if (index > this.lastIndex)",
    meant: ["commit-goes-back"],
  },

  // Quorums
  {
    name: "commits an entry of an older term by counting (§5.4.2, Figure 8)",
    file: "raft/replication.ts",
    find: "if (peer.log.termAt(index) !== peer.term && ",
    replace: "if (peer.log.termAt(index) === null && ",
    meant: ["commit-own-term"],
  },
  {
    name: "commits with one less than a majority",
    file: "raft/quorum.ts",
    find: "return descending[Math.floor(voters / 2)] ?? 0;",
    replace: "return descending[Math.max(0, Math.floor(voters / 2) - 1)] ?? 0;",
    meant: ["quorum-overlap"],
  },
  {
    name: "commits by the new half of a joint configuration alone (thesis §4.3)",
    file: "raft/quorum.ts",
    find: "return Math.min(committedIndex(incoming), committedIndex(outgoing));",
    replace: "return Math.min(committedIndex(incoming), outgoing.length === 0 ? Infinity : Infinity);",
    meant: ["quorum-overlap"],
    stage: "joint",
  },
  {
    name: "elects by the new half of a joint configuration alone (thesis §4.3)",
    file: "raft/quorum.ts",
    find: "const other = voteResult(outgoing, votes);",
    replace: "const other = voteResult(outgoing.slice(0, 0), votes);",
    meant: ["quorum-overlap"],
    stage: "joint-election",
  },
  {
    name: "counts learners in the quorum (thesis §4.2.1)",
    file: "raft/membership.ts",
    find: "peer.incoming = half(members.conf.voters);",
    replace: "peer.incoming = half([...members.conf.voters, ...members.conf.learners]);",
    meant: ["quorum-overlap"],
    stage: "learner",
  },

  // Membership
  {
    name: "makes a second change before the first is applied (thesis §4.1)",
    file: "raft/proposals.ts",
    find: "if (peer.pendingConfIndex > peer.log.applied)",
    replace: "if (peer.pendingConfIndex > peer.log.lastIndex)",
    meant: ["one-change-at-a-time"],
    stage: "two-changes",
  },
  {
    name: "a snapshot that is taken forgets the configuration (§7)",
    file: "replica/replica.ts",
    find: "conf: this.#running().status().conf,",
    replace: "conf: { ...NO_CONF, voters: this.#config.voters },",
    meant: ["configuration-agrees"],
    stage: "snapshot-conf",
  },
  {
    name: "a snapshot that is received leaves the configuration as it was (§7)",
    file: "raft/follower.ts",
    find: "restoreMembers(peer, conf);",
    replace: "restoreMembers(peer, peer.conf);",
    meant: ["configuration-agrees"],
    stage: "snapshot-conf",
  },
  {
    name: "a joint configuration is not left by itself (thesis §4.3)",
    file: "raft/membership.ts",
    find: 'if (!peer.conf.autoLeave || peer.role !== "leader" || log.applied < peer.pendingConfIndex) return;',
    replace:
      'if (peer.conf.autoLeave || peer.role !== "leader" || log.applied < peer.pendingConfIndex) return;\n  if (!peer.conf.autoLeave) return;',
    meant: ["transcripts"],
  },
  {
    name: "voters that become learners are lost on leaving a joint configuration",
    file: "raft/configuration.ts",
    find: "for (const id of draft.learnersNext) draft.learners.add(id);",
    replace: "",
    meant: ["transcripts"],
  },

  // Disks
  {
    name: "answers before the fsync",
    file: "replica/replica.ts",
    find: "    if (snapshot !== null) this.#writeSnapshotFile(snapshot);\n    if (hardState",
    replace:
      "    for (const ack of persist.then) if (ack.to !== this.#id) this.#out.send(ack.to as string as ProcessId, ack);\n    if (snapshot !== null) this.#writeSnapshotFile(snapshot);\n    if (hardState",
    meant: ["promise-before-fsync"],
  },
  {
    name: "counts itself before its own fsync",
    file: "replica/replica.ts",
    find: "    if (snapshot !== null) this.#writeSnapshotFile(snapshot);\n    if (hardState",
    replace:
      '    this.#advance({ type: "persisted", then: persist.then, written: null });\n    if (snapshot !== null) this.#writeSnapshotFile(snapshot);\n    if (hardState',
    meant: ["promise-before-fsync"],
  },
  {
    name: "does not write down a vote in a term that it knew",
    file: "raft/ready.ts",
    find: "return given.commit !== log.commit || given.term !== term || given.vote !== vote;",
    replace: "return given.commit !== log.commit || given.term !== term;",
    meant: ["promise-before-fsync"],
  },
  {
    name: "does not sync a new term or vote",
    file: "raft/ready.ts",
    find: "mustSync ||= given.term !== hardState.term || given.vote !== hardState.vote;",
    replace: "mustSync ||= given.term > hardState.term;",
    meant: ["promise-before-fsync"],
  },
  {
    name: "recovery keeps entries that were replaced",
    file: "wal/wal.ts",
    find: "if (at < entries.length) entries.length = at;\n  entries.push(entry);",
    replace: "entries[at] = entry;",
    meant: ["durable-is-kept", "log-matching", "no-panic"],
    stage: "replaced",
  },
  {
    name: "a torn tail is left in the log, and written behind",
    file: "wal/wal.ts",
    find: "if (length < bytes.length) this.#disk.truncate(name, length);",
    replace: "",
    meant: ["durable-is-kept", "no-panic"],
    stage: "torn",
  },
  {
    name: "recovery forgets the last entry",
    file: "wal/wal.ts",
    find: "return { hardState, snapshot, entries, tornBytes: all - kept };",
    replace: "return { hardState, snapshot, entries: entries.slice(0, -1), tornBytes: all - kept };",
    meant: ["durable-is-kept"],
  },

  // Machines, answers, reads
  {
    name: "applies what is not committed",
    file: "raft/log.ts",
    find: "return unstableToo ? this.commit : Math.min(this.commit, this.unstableFrom - 1);",
    replace: "return unstableToo ? this.commit : this.unstableFrom - 1;",
    meant: ["commit-goes-back"],
  },
  {
    name: "a received snapshot does not reach the machine",
    file: "replica/replica.ts",
    find: "      this.#service.restore(snapshot.data);\n      this.#applied = snapshot.last;",
    replace: "      this.#applied = snapshot.last;",
    meant: ["state-machine-safety"],
    stage: "snapshot-conf",
  },
  {
    name: "an old snapshot takes the log back (§7)",
    file: "raft/follower.ts",
    find: 'if (last.index <= log.commit) return ignore({ rule: "behind-commit", index: last.index, commit: log.commit });',
    replace: "",
    meant: ["commit-goes-back"],
    stage: "late-snapshot",
  },
  {
    name: "asks for votes before its own is durable",
    file: "replica/replica.ts",
    find: "    if (last < 0) return this.#sendAll(messages);",
    replace: "    if (last < 0 || messages.length > 0) return this.#sendAll(messages);",
    meant: ["promise-before-fsync"],
  },
  {
    name: "answers a write when it is proposed",
    file: "replica/register.ts",
    find: "    const client = this.#clientOf(waiting.connection);\n",
    replace:
      '    const client = this.#clientOf(waiting.connection);\n    const { connection, request } = waiting;\n    host.emit?.({ type: "request-answered", client, request, index: host.status().last.index });\n    this.#respond(connection, { type: "answer", request, answer: { value } });\n',
    meant: ["acknowledged-write"],
  },
  {
    name: "reads without a quorum round (thesis §6.4)",
    file: "raft/reading.ts",
    find: 'if (peer.readOnly === "lease-based" || ',
    replace: "if (index >= 0 || ",
    meant: ["linearizable-read"],
    stage: "old-leader-reads",
  },
  {
    name: "reads before an entry of the own term is committed (§8)",
    file: "raft/reading.ts",
    find: "export function askReadAsLeader(peer: PeerState, request: ReadRequest): void {\n  if (!committedInOwnTerm(peer)) {",
    replace:
      "export function askReadAsLeader(peer: PeerState, request: ReadRequest): void {\n  if (!committedInOwnTerm(peer) && peer.log.commit < 0) {",
    meant: ["linearizable-read"],
    stage: "early-read",
  },
  {
    name: "reads by a lease whose clock stood still (thesis §6.4.1)",
    file: "replica/replica.ts",
    find: "      checkQuorum,\n      readOnly,",
    replace: '      checkQuorum: true,\n      readOnly: "lease-based",',
    meant: ["linearizable-read"],
    stage: "lease-after-pause",
  },
  {
    name: "hands over to one that lags (thesis §3.10)",
    file: "raft/leader.ts",
    find: "if (target.match < peer.log.lastIndex) {",
    replace: "if (target.match < 0) {",
    meant: ["transfer-to-complete"],
    stage: "transfer-lagging",
  },
];
