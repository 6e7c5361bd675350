/**
 * What all members have in common, made of the log alone: the tree, the sessions, how far each member's pipe has come.
 *
 * Zxids are counted here, one for each command that ZooKeeper would give one to. They carry no epoch in their high
 * bits: the log is Raft's, and its terms are the epochs.
 */
import { utf8Decode, utf8Encode } from "../base/bytes.ts";
import { mixString } from "../base/hash.ts";
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Answer, Credentials, SessionId, Zxid } from "./api.ts";
import type { Command, Pipe } from "./command.ts";
import { type Change, Tree, type TreeCheckpoint, type TreeOptions, type TreeState } from "./tree.ts";

export interface Session {
  readonly password: string;
  /** As negotiated by its newest connection. */
  readonly timeout: Micros;
  /** The member that its client is connected to, as far as the log tells: writes from elsewhere are refused. */
  readonly member: ProcessId;
}

/** What a command did. */
export type Applied =
  /** Not the next in its pipe: it was there before, or one before it is missing. */
  | { readonly type: "passed-over" }
  | { readonly type: "opened"; readonly zxid: Zxid; readonly credentials: Credentials; readonly timeout: Micros }
  | {
      readonly type: "renewed";
      readonly session: SessionId;
      readonly ok: boolean;
      readonly timeout: Micros;
      readonly from: ProcessId | null;
    }
  | {
      readonly type: "written";
      readonly session: SessionId;
      readonly zxid: Zxid;
      readonly answer: Answer;
      readonly changes: readonly Change[];
    }
  /** `zxid` null: it had ended before. */
  | {
      readonly type: "ended";
      readonly session: SessionId;
      readonly why: "asked" | "expired";
      readonly zxid: Zxid | null;
      readonly changes: readonly Change[];
    }
  | { readonly type: "cleaned"; readonly zxid: Zxid; readonly changes: readonly Change[] }
  | { readonly type: "synced"; readonly path: string };

interface Progress extends Pipe {
  readonly number: number;
}

interface MachineState {
  readonly zxid: Zxid;
  readonly tree: TreeState;
  readonly sessions: readonly (readonly [SessionId, Session])[];
  readonly pipes: readonly (readonly [ProcessId, Progress])[];
}

export interface MachineCheckpoint extends Omit<MachineState, "tree"> {
  readonly tree: TreeCheckpoint;
}

export class ZooKeeperMachine {
  readonly tree: Tree;
  readonly #sessions = new Map<SessionId, Session>();
  readonly #pipes = new Map<ProcessId, Progress>();
  #zxid: Zxid = 0;

  constructor(options: TreeOptions) {
    this.tree = new Tree(options);
  }

  /** The last that was given. */
  get zxid(): Zxid {
    return this.#zxid;
  }

  get sessions(): ReadonlyMap<SessionId, Session> {
    return this.#sessions;
  }

  apply(command: Command): Applied {
    if (!this.#isNext(command)) return { type: "passed-over" };
    const { member, time, body } = command;
    switch (body.type) {
      case "open":
        return this.#open(member, body.timeout);
      case "renew": {
        const { session, password, timeout } = body;
        const old = this.#sessions.get(session);
        if (old?.password !== password) return { type: "renewed", session, ok: false, timeout, from: null };
        this.#sessions.set(session, { ...old, timeout, member });
        return { type: "renewed", session, ok: true, timeout, from: old.member };
      }
      case "write": {
        const { session, call, ids = [] } = body;
        this.#zxid += 1;
        const zxid = this.#zxid;
        const owner = this.#sessions.get(session)?.member;
        const refused = owner === undefined ? "SessionExpired" : owner === member ? null : "SessionMoved";
        if (refused !== null) return { type: "written", session, zxid, answer: { err: refused }, changes: [] };
        return { type: "written", session, zxid, ...this.tree.write(call, { session, zxid, time, ids }) };
      }
      case "close":
        return this.#close(body.session, body.why);
      case "clean": {
        this.#zxid += 1;
        return { type: "cleaned", zxid: this.#zxid, changes: this.tree.clean(body.path, this.#zxid) };
      }
      case "sync":
        return { type: "synced", path: body.path };
    }
  }

  #open(member: ProcessId, timeout: Micros): Applied {
    this.#zxid += 1;
    const zxid = this.#zxid;
    const session = `0x1${zxid.toString(16).padStart(15, "0")}` as SessionId;
    // Nobody guesses here; it only has to be the same on all members and another for each session.
    const password = (mixString(zxid, session) >>> 0).toString(16).padStart(8, "0");
    this.#sessions.set(session, { password, timeout, member });
    return { type: "opened", zxid, credentials: { session, password }, timeout };
  }

  #close(session: SessionId, why: "asked" | "expired"): Applied {
    if (!this.#sessions.delete(session)) return { type: "ended", session, why, zxid: null, changes: [] };
    this.#zxid += 1;
    return { type: "ended", session, why, zxid: this.#zxid, changes: this.tree.endSession(session, this.#zxid) };
  }

  #isNext({ member, incarnation, era, number }: Command): boolean {
    const old = this.#pipes.get(member) ?? { incarnation: 0, era: 0, number: 0 };
    const isNew = incarnation > old.incarnation || (incarnation === old.incarnation && era > old.era);
    const isSame = incarnation === old.incarnation && era === old.era;
    if (isNew ? number !== 1 : !isSame || number !== old.number + 1) return false;
    this.#pipes.set(member, { incarnation, era, number });
    return true;
  }

  checkpoint(): MachineCheckpoint {
    const [zxid, tree] = [this.#zxid, this.tree.checkpoint()];
    return { zxid, tree, sessions: [...this.#sessions], pipes: [...this.#pipes] };
  }

  resume({ zxid, tree, sessions, pipes }: MachineCheckpoint): void {
    this.#zxid = zxid;
    this.tree.resume(tree);
    this.#keep(sessions, pipes);
  }

  snapshot(): Uint8Array {
    const state: MachineState = {
      zxid: this.#zxid,
      tree: this.tree.state(),
      sessions: [...this.#sessions],
      pipes: [...this.#pipes],
    };
    return utf8Encode(JSON.stringify(state));
  }

  restore(snapshot: Uint8Array): void {
    const { zxid, tree, sessions, pipes } = JSON.parse(utf8Decode(snapshot)) as MachineState;
    this.#zxid = zxid;
    this.tree.load(tree);
    this.#keep(sessions, pipes);
  }

  #keep(sessions: MachineState["sessions"], pipes: MachineState["pipes"]): void {
    this.#sessions.clear();
    for (const [id, session] of sessions) this.#sessions.set(id, session);
    this.#pipes.clear();
    for (const [member, progress] of pipes) this.#pipes.set(member, progress);
  }
}
