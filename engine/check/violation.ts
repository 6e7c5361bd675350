/**
 * What must hold, by name, and how it is told that something did not.
 */
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";

/** Every rule and its source, in the order in which a page may show them. Sections are of the extended Raft paper. */
export const RULES = {
  /** At most one leader can be elected in a term. */
  "election-safety": "§5.2, Figure 3",
  /** A leader never overwrites or deletes entries of its log. */
  "leader-append-only": "§5.3, Figure 3",
  /** Two logs that hold an entry of the same index and term are equal up to it. */
  "log-matching": "§5.3, Figure 3",
  /** What was committed in a term is in the logs of the leaders of all later terms. */
  "leader-completeness": "§5.4, Figure 3",
  /** No two machines apply different entries at one index, or come to different states there. */
  "state-machine-safety": "§5.4.3, Figure 3",
  /** A leader commits entries of older terms only along with one of its own. */
  "commit-own-term": "§5.4.2, Figure 8",
  /** A member gives one vote a term, restarts or not. */
  "one-vote-a-term": "§5.2, Figure 2",
  /** A vote or an acknowledgement leaves, or counts, only when what it rests on is durable. */
  "promise-before-fsync": "Figure 2, thesis §3.8",
  /** What was durable is there after a restart. */
  "durable-is-kept": "Figure 2, persistent state",
  /** A member's term never falls. */
  "term-goes-back": "§5.1",
  /** A member's commit index never falls while it runs, and what it applies is committed. */
  "commit-goes-back": "§5.3",
  /** While a leader of a later term is there, no quorum is left for an older one. */
  "one-leader-commits": "§5.4",
  /** Who leads was voted for, and what is committed is durable, by a majority of each half of the configuration. */
  "quorum-overlap": "§6, thesis §4.3",
  /** Only voters stand for election. */
  "only-voters-stand": "thesis §4.2.1",
  /** Members that have applied the same entries have the same configuration, and a snapshot keeps it. */
  "configuration-agrees": "§6, §7",
  /** A leader appends no change of membership while another one waits to be applied. */
  "one-change-at-a-time": "thesis §4.1",
  /** Asking for a pre-vote raises nobody's term. */
  "pre-vote-is-free": "thesis §9.6",
  /** Who is told to take over holds all of the leader's log. */
  "transfer-to-complete": "thesis §3.10",
  /** A read waits for everything that was committed when it was asked. */
  "linearizable-read": "§8, thesis §6.4",
  /** A request that was answered stands in the log as committed, where it was said to. */
  "acknowledged-write": "§8",
  /** No member finds a contradiction in what it holds, unless somebody damaged its disk. */
  "no-panic": "§5",
} as const;

export type RuleName = keyof typeof RULES;

export type Figure = number | string | null | readonly string[];
export type Figures = Readonly<Record<string, Figure>>;

/** A rule that does not hold, and what it was judged by. */
export interface Breach {
  readonly rule: RuleName;
  readonly figures: Figures;
}

export interface Violation extends Breach {
  /** The trace event that broke it. */
  readonly event: number;
  readonly at: Micros;
  readonly process: ProcessId | null;
}

export function breach(rule: RuleName, figures: Figures): Breach {
  return { rule, figures };
}
