/** Hand-made traces for tests: the events of a small cluster, one by one, given to the checks. */
import type { ConfState, HardState, NodeId, Role, Term } from "../raft/types.ts";
import type { EntryShown, ReplicaEvent } from "../replica/events.ts";
import type { ProcessId } from "../sim/command.ts";
import type { WorldEvent } from "../sim/events.ts";
import { Checks } from "./checks.ts";
import type { RuleName } from "./violation.ts";

export const [A, B, C, D] = ["n1", "n2", "n3", "n4"] as readonly string[] as readonly [NodeId, NodeId, NodeId, NodeId];
export const CONF: ConfState = {
  voters: [A, B, C],
  votersOutgoing: [],
  learners: [],
  learnersNext: [],
  autoLeave: false,
};

export function shown(term: Term, index: number, rest: Partial<EntryShown> = {}): EntryShown {
  return { term, index, type: "normal", label: "", request: null, ...rest };
}

export class Story {
  checks = new Checks();
  #id = 0;
  #token = 0;

  get broken(): RuleName | null {
    return this.checks.violation?.rule ?? null;
  }

  event(process: NodeId, event: ReplicaEvent | WorldEvent): this {
    this.#id += 1;
    const id = this.#id;
    this.checks.add({ id, cause: 0, at: id, process: process as string as ProcessId, incarnation: 1, event });
    return this;
  }

  boot(id: NodeId, disk: Partial<Extract<ReplicaEvent, { type: "recovered" }>> = {}, conf = CONF): this {
    const empty = { term: 0, vote: null, commit: 0, snapshot: { term: 0, index: 0 }, entries: [], tornBytes: 0 };
    this.event(id, { type: "recovered", ...empty, summary: null, ...disk });
    return this.event(id, { type: "conf-switched", conf });
  }

  role(id: NodeId, role: Role, term: Term): this {
    return this.event(id, { type: "role-changed", from: "follower", role, term, why: { rule: "started" } });
  }

  append(id: NodeId, ...entries: readonly EntryShown[]): this {
    return this.event(id, { type: "entries-shown", entries });
  }

  /** A write, and its sync when it is to be durable. */
  write(id: NodeId, hardState: HardState | null, entries: readonly EntryShown[], durable = true): this {
    const [first, last] = [entries[0], entries.at(-1)];
    const span = first === undefined || last === undefined ? null : { first, last };
    this.event(id, { type: "persist-begun", hardState, entries: span, snapshot: null });
    this.#token += 1;
    const token = this.#token;
    this.event(id, { type: "sync-began", token, endsAt: 0 });
    return durable ? this.event(id, { type: "synced", token }) : this;
  }

  sent(from: NodeId, to: NodeId, body: object): this {
    const message = {
      message: 1,
      to: to as string as ProcessId,
      arrivesAt: 0,
      lost: null,
      copyOf: null,
      segment: null,
    };
    return this.event(from, { type: "sent", ...message, body: { from, to, ...body } });
  }

  /** Its own vote is counted. */
  ownVote(id: NodeId, term: Term): this {
    const counts = { granted: 1, refused: 0, answers: [] };
    return this.event(id, { type: "votes-tallied", from: id, answer: true, pre: false, term, ...counts });
  }

  grant(from: NodeId, to: NodeId, term: Term): this {
    return this.sent(from, to, { type: "RequestVoteReply", term, pre: false, granted: true });
  }

  accept(from: NodeId, to: NodeId, term: Term, index: number): this {
    return this.sent(from, to, { type: "AppendEntriesReply", term, rejected: false, index });
  }

  commit(id: NodeId, from: number, to: number): this {
    return this.event(id, { type: "commit-advanced", from, to });
  }

  /** One of three is elected by itself and another, appends, and commits what both hold. */
  reign(leader: NodeId, follower: NodeId, term: Term, entries: readonly EntryShown[], commitFrom = 0): this {
    this.role(leader, "candidate", term).write(leader, { term, vote: leader, commit: 0 }, []);
    this.role(follower, "follower", term).write(follower, { term, vote: leader, commit: 0 }, []);
    this.ownVote(leader, term).grant(follower, leader, term).role(leader, "leader", term);
    if (entries.length === 0) return this;
    for (const id of [leader, follower]) this.append(id, ...entries).write(id, null, entries);
    const last = entries.at(-1)?.index ?? 0;
    return this.accept(follower, leader, term, last).commit(leader, commitFrom, last);
  }

  static booted(): Story {
    return new Story().boot(A).boot(B).boot(C);
  }
}
