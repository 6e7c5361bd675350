/**
 * What a person can do to a world. A run is a seed, a config and a list of these; nothing else comes in from outside.
 *
 * A command that makes no sense now is answered with a `Refusal` and is not recorded. Messages are named by the number
 * that the network gave them, links by their two ends, one direction at a time.
 */
import type { Brand } from "../base/brand.ts";
import type { Micros } from "../base/units.ts";

/** A process of the world: a member ("n1") or a client ("c1"). */
export type ProcessId = Brand<string, "ProcessId">;
/** The number of a message in one run, from 1 up, in order of sending. */
export type MessageId = number;

/** One direction of a link. */
export interface LinkEnds {
  readonly from: ProcessId;
  readonly to: ProcessId;
}

/** Names a direction in maps. */
export function linkKey(link: LinkEnds): string {
  return `${link.from}>${link.to}`;
}

/** How datagrams fare on a link. Probabilities in millionths. */
export interface LinkQuality {
  readonly latencyMin: Micros;
  readonly latencyMax: Micros;
  readonly lossPerMillion: number;
  readonly duplicatePerMillion: number;
  /** The chance that a message may overtake those before it; without it a link keeps order. */
  readonly reorderPerMillion: number;
}

export interface DiskQuality {
  readonly fsyncMin: Micros;
  readonly fsyncMax: Micros;
  /** Whether a crash may leave a part of the last, not yet fsynced write: the torn record that a WAL must find. */
  readonly tornWrites: boolean;
}

/** How members run, and may be told to run otherwise while they do. A member that restarts takes the present ones. */
export interface Settings {
  readonly preVote: boolean;
  readonly checkQuorum: boolean;
  /** How a leader makes sure that it still leads before it answers a read. */
  readonly readOnly: "safe" | "lease-based";
  /** Rules that are switched off, to show what they are for. None by default, and loudly marked when there are any. */
  readonly broken: readonly BrokenRule[];
}

/**
 * The mistakes that teach. Each names a rule that a member no longer keeps; what goes wrong then, and where the rule
 * stands, is told in `raft/broken.ts` and in the replica.
 */
export const BROKEN_RULES = [
  "forget-vote",
  "answer-before-fsync",
  "vote-without-log-check",
  "commit-old-term-by-counting",
  "commit-without-majority",
  "append-without-matching",
  "keep-conflicting-entries",
  "ignore-higher-term",
  "same-election-timeouts",
  "change-majority-at-once",
  "count-learners",
  "read-without-quorum",
] as const;
export type BrokenRule = (typeof BROKEN_RULES)[number];

/** One operation of a change of membership. */
export interface MembershipStep {
  readonly operation: "add-voter" | "add-learner" | "remove";
  readonly id: ProcessId;
}

/**
 * What a person does at a console. `line`: a command line, or input for the command that runs. `run`: a command by its
 * words, with what is piped into it (bytes, one character
 * each; null: it reads from the keyboard). `eof`: Ctrl-D. `interrupt`: Ctrl-C.
 */
export type ConsoleInput =
  | { readonly do: "line"; readonly text: string }
  | { readonly do: "run"; readonly args: readonly string[]; readonly stdin: string | null }
  | { readonly do: "type"; readonly text: string }
  | { readonly do: "eof" }
  | { readonly do: "interrupt" };

export type Command =
  | { readonly type: "crash"; readonly process: ProcessId }
  | { readonly type: "restart"; readonly process: ProcessId }
  | { readonly type: "pause"; readonly process: ProcessId }
  | { readonly type: "resume"; readonly process: ProcessId }
  /** The disk is emptied of a member that is down: it comes back knowing nothing. */
  | { readonly type: "wipe"; readonly process: ProcessId }
  /** One bit of the newest file of a member that is down turns over, `back` bytes before its end. */
  | { readonly type: "corrupt"; readonly process: ProcessId; readonly back: number }
  /** A machine that was not there is switched on, with an empty disk. It is a member only once the members agree. */
  | { readonly type: "spawn"; readonly process: ProcessId }
  /** A machine is taken away, with its disk. */
  | { readonly type: "retire"; readonly process: ProcessId }
  /** A member is asked to propose a change of membership; no steps: to leave a joint configuration. */
  | {
      readonly type: "membership";
      readonly member: ProcessId;
      readonly transition: "auto" | "implicit" | "explicit";
      readonly steps: readonly MembershipStep[];
    }
  /** A member asks the leader to hand over to it. */
  | { readonly type: "transfer"; readonly to: ProcessId }
  /** A member takes a snapshot now and forgets the log up to it. */
  | { readonly type: "snapshot"; readonly process: ProcessId }
  /** All members, from now on. */
  | { readonly type: "settings"; readonly settings: Settings }
  /** Cuts exactly these directions (both, when both are named). */
  | { readonly type: "cut"; readonly links: readonly LinkEnds[] }
  | { readonly type: "mend"; readonly links: readonly LinkEnds[] }
  /** Cuts every link between a process of one group and one of another; links inside a group are mended. */
  | { readonly type: "partition"; readonly groups: readonly (readonly ProcessId[])[] }
  /** Mends every cut link. */
  | { readonly type: "heal" }
  /** The quality of all links between members, from now on; messages in flight keep their arrival. */
  | { readonly type: "network"; readonly quality: LinkQuality }
  | { readonly type: "link"; readonly link: LinkEnds; readonly quality: LinkQuality }
  | { readonly type: "disk"; readonly process: ProcessId; readonly quality: DiskQuality }
  /** `driftPpm`: how many millionths faster (or slower, below 0) the clock runs from now on. */
  | { readonly type: "clock"; readonly process: ProcessId; readonly driftPpm: number; readonly jumpUs: Micros }
  | { readonly type: "hold"; readonly message: MessageId }
  | { readonly type: "release"; readonly message: MessageId }
  /**
   * Part of a connection that is lost is sent again (TCP). `swallow`: whoever stands between the two ends, a proxy, has
   * taken it as arrived and keeps it: nobody sends it again.
   */
  | { readonly type: "drop"; readonly message: MessageId; readonly swallow?: true }
  | { readonly type: "duplicate"; readonly message: MessageId }
  /** A client is asked to write `value`, at `member`, or wherever it thinks best when null. */
  | { readonly type: "write"; readonly client: ProcessId; readonly member: ProcessId | null; readonly value: string }
  /** A client is asked to read the value; `serializable` takes the member's own, which may be old. */
  | {
      readonly type: "read";
      readonly client: ProcessId;
      readonly member: ProcessId | null;
      readonly serializable: boolean;
    }
  | { readonly type: "console"; readonly client: ProcessId; readonly input: ConsoleInput }
  /** A client's program stops before its next step, or goes on; its timers, library and messages go on all the while. */
  | { readonly type: "hold-back"; readonly client: ProcessId; readonly on: boolean }
  /** One that is held back takes one step. */
  | { readonly type: "step-client"; readonly client: ProcessId }
  /** Whether the shared resource refuses a token smaller than the greatest one that it has seen. */
  | { readonly type: "fence"; readonly process: ProcessId; readonly on: boolean }
  /** The watchdog's or a worker's own verdict: the process threw or hung. Recorded, since wall time decided it. */
  | { readonly type: "panic"; readonly process: ProcessId; readonly message: string; readonly stack: string };

export type CommandType = Command["type"];

/** Why a command was not carried out. `rule` names it; the page has a sentence for each. */
export type Refusal =
  | { readonly rule: "unknown-process"; readonly process: string }
  | { readonly rule: "already-down"; readonly process: ProcessId }
  | { readonly rule: "already-running"; readonly process: ProcessId }
  | { readonly rule: "already-present"; readonly process: ProcessId }
  | { readonly rule: "already-paused"; readonly process: ProcessId }
  | { readonly rule: "not-paused"; readonly process: ProcessId }
  | { readonly rule: "must-be-down"; readonly process: ProcessId }
  | { readonly rule: "not-a-member"; readonly process: ProcessId }
  | { readonly rule: "disk-too-short"; readonly process: ProcessId; readonly bytes: number }
  | { readonly rule: "not-a-client"; readonly process: ProcessId }
  | { readonly rule: "member-down"; readonly process: ProcessId }
  | { readonly rule: "client-busy"; readonly process: ProcessId }
  | { readonly rule: "no-leader" }
  | { readonly rule: "no-such-message"; readonly message: MessageId }
  | { readonly rule: "message-is-held"; readonly message: MessageId }
  | { readonly rule: "message-not-held"; readonly message: MessageId }
  /** A connection keeps order and loses nothing: only data that travels on it can be held or dropped, and nothing doubled. */
  | { readonly rule: "message-on-connection"; readonly message: MessageId }
  | { readonly rule: "no-such-link"; readonly from: string; readonly to: string }
  | { readonly rule: "links-already-cut" }
  | { readonly rule: "nothing-to-mend" }
  /** The command itself is malformed: a figure out of range, an empty value, one too long. */
  | { readonly rule: "invalid"; readonly field: string; readonly problem: string };

/** A command in a recording: it applies when the world has processed event `n` and its clock has come to `at`. */
export interface Recorded {
  readonly n: number;
  readonly at: Micros;
  readonly command: Command;
}
