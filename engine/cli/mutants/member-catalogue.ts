/**
 * Known ways to get etcd's member and its client wrong, as `catalogue.ts` has them for Raft: `find` stands exactly once in
 * its file and gives way to `replace`. `meant` is the case of `member-cases.ts` that must catch the mutant.
 */
import type { Change } from "./change.ts";
import type { MemberCase } from "./member-cases.ts";

export interface MemberMutant extends Change {
  readonly meant: MemberCase;
}

export const MEMBER_MUTANTS: readonly MemberMutant[] = [
  // Writes
  {
    name: "a write is answered when it is proposed, not when it is applied",
    file: "etcd/member/proposals.ts",
    find: "this.propose(caller, method, { [field]: body }, info, stamp);",
    replace:
      "this.propose(NOBODY, method, { [field]: body }, info, stamp); this.#core.answer(caller, { header: null }, stamp);",
    meant: "replies",
  },
  {
    name: "a write that came without a leader is forgotten",
    file: "etcd/member/proposals.ts",
    find: "for (const { command, pending } of held) this.#toLog(command, pending);",
    replace: "if (held.length > 99) for (const { command, pending } of held) this.#toLog(command, pending);",
    meant: "waiting",
  },
  {
    name: "a write that waits in vain is never answered",
    file: "etcd/member/proposals.ts",
    find: "for (const { caller, startedAt } of late) this.#core.answer(caller, this.#timeout(startedAt), stamp);",
    replace: "late.length = 0;",
    meant: "waiting",
  },
  {
    name: "puts go on under the alarm when there is room again",
    file: "etcd/state.ts",
    find: 'return this.#guard === "NOSPACE" && costOf(request) > 0 ? etcdError("NoSpace") : null;',
    replace: "return null;",
    meant: "quota",
  },
  {
    name: "the quota's alarm is not raised",
    file: "etcd/member/proposals.ts",
    find: 'if (full) return this.#raiseNoSpace(caller, etcdError("NoSpace"), stamp);',
    replace: 'if (full) return core.answer(caller, etcdError("NoSpace"), stamp);',
    meant: "quota",
  },
  {
    name: "the backend never commits by itself",
    file: "etcd/member/member.ts",
    find: "this.timers.commit ??= ",
    replace: "this.timers.commit ??= 9_000 * ",
    meant: "quota",
  },
  // Reads
  {
    name: "a linearizable read is answered from what the member has",
    file: "etcd/member/calls.ts",
    find: "return this.#read(caller, method, metadata, body, (body as m.RangeRequest).serializable, stamp);",
    replace: "return this.#read(caller, method, metadata, body, true, stamp);",
    meant: "linearizable reads",
  },
  {
    name: "a transaction of reads is always a local one",
    file: "etcd/member/calls.ts",
    find: "return this.#read(caller, method, metadata, txn, check.isSerializableTxn(txn), stamp);",
    replace: "return this.#read(caller, method, metadata, txn, true, stamp);",
    meant: "linearizable reads",
  },
  {
    name: "a read joins the round that is under way",
    file: "etcd/member/reads.ts",
    find: "    this.#next.push(reader);\n",
    replace:
      "    if (this.#round !== null) {\n      this.#round = { ...this.#round, readers: [...this.#round.readers, reader] };\n      return;\n    }\n    this.#next.push(reader);\n",
    meant: "read rounds",
  },
  {
    name: "a round goes on waiting for a leader that was replaced",
    file: "etcd/member/reads.ts",
    find: '    this.#end(etcdError("LeaderChanged"), stamp);',
    replace: "",
    meant: "leader changes",
  },
  // Leases
  {
    name: "a deposed leader renews leases",
    file: "etcd/member/leases.ts",
    find: 'const leads = role === "leader";',
    replace: 'const leads = role === "leader" || this.#leads;',
    meant: "deposed leader",
  },
  {
    name: "a follower answers renewals itself",
    file: "etcd/member/leases.ts",
    find: "    const own = this.#leads ? this.#answer(question, stamp) : null;\n    if (own !== null) return own;",
    replace: "    const own = this.#answer(question, stamp);\n    if (own !== null || !this.#leads) return own ?? 0;",
    meant: "renewals",
  },
  {
    name: "a lease whose time is over is revoked again at each look",
    file: "etcd/lease/lessor.ts",
    find: "this.#revoking.set(id, now + retryAfter);",
    replace: "this.#revoking.set(id, now);",
    meant: "expiry",
  },
  {
    name: "a leader that was paused ends leases before it knows that it still leads",
    file: "etcd/member/leases.ts",
    find: 'if (this.#wasPaused(stamp) && this.#core.config.compat !== "3.4") return this.#verify(stamp);',
    replace: "",
    meant: "paused leader",
  },
  {
    name: "ids of leases are made again after a restart",
    file: "etcd/member/lease-calls.ts",
    find: "mark * 0x10000 + (incarnation & 0xffff)",
    replace: "mark * 0x10000 + (incarnation & 0)",
    meant: "generated ids",
  },
  // Streams, leaders, learners
  {
    name: "who demands a leader waits like everybody else",
    file: "etcd/member/calls.ts",
    find: 'if (hasLeader && leader === null) return etcdError("NoLeader");',
    replace: "if (hasLeader && leader === null && config === null) return null;",
    meant: "no leader",
  },
  {
    name: "a stream that demands a leader is opened without one",
    file: "etcd/member/streams.ts",
    find: 'if (metadata.hasLeader && core.leader === null) return core.answer(caller, etcdError("NoLeader"), stamp);',
    replace: "",
    meant: "no leader",
  },
  {
    name: "streams that demand a leader outlive it",
    file: "etcd/member/streams.ts",
    find: "      if (!metadata.hasLeader) continue;",
    replace: "      if (metadata.hasLeader) continue;",
    meant: "no leader",
  },
  {
    name: "streams that demand a leader end with the first election timeout",
    file: "etcd/member/member.ts",
    find: "stamp.awake + 3 * this.config.electionTimeout",
    replace: "stamp.awake + this.config.electionTimeout / 2",
    meant: "no leader",
  },
  {
    name: "a learner serves linearizable reads",
    file: "etcd/member/calls.ts",
    find: 'const local = method === "KV/Range" && (body as m.RangeRequest).serializable;',
    replace: 'const local = method === "KV/Range";',
    meant: "learners",
  },
  {
    name: "a client that gave up goes on waiting for a lock",
    file: "etcd/member/member.ts",
    find: "this.#routines.abandon(isGone, stamp);",
    replace: "",
    meant: "abandoned waiters",
  },
  {
    name: "watches forget what a snapshot brought",
    file: "etcd/member/member.ts",
    find: "    this.#watches.restored();\n",
    replace: "",
    meant: "restored watches",
  },
  {
    name: "a stream takes whatever there is, however slow its client",
    file: "etcd/member/outlet.ts",
    find: "if (!isOpen && this.#waiting.length + this.#promised >= WAITING_MAX) return false;",
    replace: "",
    meant: "slow watches",
  },
  {
    name: "what a stream has no room for is dropped",
    file: "etcd/watch/watchable.ts",
    find: "if (!this.#tell(watcher, its, revision, told)) this.#makeVictim(watcher, its);",
    replace: "this.#tell(watcher, its, revision, told);",
    meant: "slow watches",
  },
  {
    name: "a victim is told what it kept and forgets what happened since",
    file: "etcd/watch/watchable.ts",
    find: 'watcher.state = watcher.minRevision > revision ? "synced" : "unsynced";\n      this.#keep(watcher);\n    }\n    return told;\n  }\n\n  /** Lets',
    replace: 'watcher.state = "synced";\n      this.#keep(watcher);\n    }\n    return told;\n  }\n\n  /** Lets',
    meant: "slow watches",
  },
  {
    name: "the window is not held to",
    file: "etcd/member/outlet.ts",
    find: "      if (this.#inFlight >= WINDOW_BYTES) break;\n",
    replace: "",
    meant: "slow watches",
  },
  // Clients
  {
    name: "a client gives no room back",
    file: "etcd/client/channel.ts",
    find: "const isDue = bytes >= GIVE_BACK_BYTES;",
    replace: "const isDue = bytes >= 99 * GIVE_BACK_BYTES;",
    meant: "client windows",
  },
  {
    name: "a watch is opened again at the last event that was seen",
    file: "etcd/client/watcher.ts",
    find: "events.length > 0 ? newest + 1 :",
    replace: "events.length > 0 ? newest :",
    meant: "client watches",
  },
  {
    name: "a watch is opened again where it once began",
    file: "etcd/client/watcher.ts",
    find: "startRevision: known.nextRevision }",
    replace: "startRevision: known.request.startRevision }",
    meant: "client watches",
  },
  {
    name: "a write is sent again after its connection broke",
    file: "etcd/client/policy.ts",
    find: "return isRepeatable && error.code === CODES.Unavailable;",
    replace: "return error.code === CODES.Unavailable;",
    meant: "client retries",
  },
  {
    name: "a backup that has begun is begun again",
    file: "etcd/client/channel.ts",
    find: "{ ...call, isFresh: false, queue: [] }",
    replace: "{ ...call, queue: [] }",
    meant: "client streams",
  },
  {
    name: "3.4 asks one endpoint for a token",
    file: "etcd/client/channel.ts",
    find: "state.tokenTurn + 1 < this.config.endpoints.length",
    replace: "state.tokenTurn + 1 < 1",
    meant: "client streams",
  },
  {
    name: "a write whose connection broke counts as not done",
    file: "etcd/client/policy.ts",
    find: "  if (READS.has(method) || !UNSURE.has(error.code)) return false;\n",
    replace: "  if (READS.has(method) || UNSURE.has(error.code)) return false;\n",
    meant: "client retries",
  },
  {
    name: "a write that no member wanted for lack of a leader counts as possibly done",
    file: "etcd/client/policy.ts",
    find: "return name === null || !REFUSED.has(name);",
    replace: "return true;",
    meant: "client deadlines",
  },
  {
    name: "a closed session is kept alive",
    file: "etcd/client/lease-keeper.ts",
    find: "    else leases.delete(lease);\n",
    replace: "",
    meant: "client leases",
  },
  {
    name: "a client believes in its lease as long as nobody says no",
    file: "etcd/client/lease-keeper.ts",
    find: "const deadline = now + ttl * SECOND;",
    replace: "const deadline = now + 100 * ttl * SECOND;",
    meant: "client leases",
  },
  {
    name: "a lease is renewed when its time is nearly over",
    file: "etcd/client/lease-keeper.ts",
    find: "next: now + Math.floor((ttl * SECOND) / 3), deadline",
    replace: "next: now + Math.floor((ttl * SECOND) / 1.1), deadline",
    meant: "client leases",
  },
  {
    name: "a member is not told of calls that were given up",
    file: "etcd/client/channel.ts",
    find: '    if (call.state === "sent") this.#transmit(call, { type: "cancel", call: call.wire });\n    if (call.kind',
    replace: "    if (call.kind",
    meant: "client deadlines",
  },
];
