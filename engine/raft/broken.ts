/**
 * Rules of Raft that can be switched off, to see what each is for. None is by default.
 *
 * A rule that is off is one branch beside the rule itself: search for its name. What a peer then does is the mistake of
 * somebody who left the rule out, and no worse one; everything else goes by the book.
 */

/** By the name of the mistake, with the source of the rule. Sections are of the extended Raft paper. */
export const RAFT_RULES = {
  /**
   * Whom a member voted for outlives a restart. Without it a member that comes back in the same term votes once more,
   * for somebody else, and the term has two leaders.
   */
  "forget-vote": "§5.2, Figure 2 (persistent state)",
  /**
   * A vote goes only to a candidate whose log is at least as up to date as the voter's. Without it one that missed what
   * was committed can win, and overwrites it.
   */
  "vote-without-log-check": "§5.4.1",
  /**
   * A leader commits entries of older terms only along with one of its own. Without it an old entry is taken for
   * committed once a majority holds it, though somebody whose log ends in a newer term may still win and replace it.
   * The empty entry of a new leader (§8) goes, too: it travels in one append with the older ones, which would never be
   * counted alone.
   */
  "commit-old-term-by-counting": "§5.4.2, Figure 8",
  /**
   * An entry is committed once a majority holds it. Without it the leader's own disk is enough, and one that nobody
   * follows any more goes on to confirm writes.
   */
  "commit-without-majority": "§5.3",
  /**
   * A follower takes entries only behind one that it shares with the leader, by index and term. Without it a log that is
   * long enough will do, whatever stands there.
   */
  "append-without-matching": "§5.3, Figure 2 (AppendEntries 2)",
  /**
   * A follower deletes its entries from the first one on that differs from the leader's. Without it they stay, and it
   * acknowledges what it does not hold.
   */
  "keep-conflicting-entries": "§5.3, Figure 2 (AppendEntries 3)",
  /**
   * A leader that hears of a higher term is one no more. Without it a deposed one takes the very answers that depose it
   * for signs of life, and leads on beside its successor: its lease never ends.
   */
  "ignore-higher-term": "§5.1",
  /**
   * Election timeouts are drawn at random. Without it all members stand at the same time, each votes for itself, and
   * nobody wins.
   */
  "same-election-timeouts": "§5.2",
  /**
   * A change of several voters goes through a joint configuration, in which the old and the new majority must agree.
   * Without it some members count by the old and some by the new one: two majorities that share nobody.
   */
  "change-majority-at-once": "§6, thesis §4.3",
  /**
   * A learner is fed and does not count. Without it its copy stands in for a voter's, and those who elect the next
   * leader need not hold what was committed.
   */
  "count-learners": "thesis §4.2.1",
  /**
   * Before a leader answers a read it makes sure that it still leads. Without it one that was replaced long ago answers
   * with what it had then.
   */
  "read-without-quorum": "§8, thesis §6.4",
} as const;

export type RaftRule = keyof typeof RAFT_RULES;

/** The rules that a peer does not keep. */
export type BrokenRules = ReadonlySet<RaftRule>;

export const ALL_KEPT: BrokenRules = new Set();

export function isRaftRule(name: string): name is RaftRule {
  return Object.hasOwn(RAFT_RULES, name);
}
