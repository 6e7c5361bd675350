/**
 * What a majority has agreed on: how far the log is committed, and who won a vote (§5.2, §5.3; thesis §4.3).
 *
 * A joint configuration has two halves, and a decision needs a majority of each. An empty half agrees with everything,
 * so that a configuration which is not joint is one whose outgoing half is empty.
 */
import type { Index, NodeId } from "./types.ts";

export type VoteResult = "won" | "lost" | "pending";

/** Reused by `committedIndex`, which runs for every acknowledgement: nothing is kept in it. */
const descending: Index[] = [];

/**
 * The largest index that a majority of the half acknowledged; Infinity for an empty half.
 *
 * Sorting by insertion: a half has at most nine voters in practice, and nothing is allocated.
 *
 * @param voters how many a majority is of; fewer than `half` has when others are let to stand in for them
 */
export function committedIndex(half: readonly { readonly match: Index }[], voters = half.length): Index {
  const n = half.length;
  if (voters === 0) return Number.POSITIVE_INFINITY;
  for (let i = 0; i < n; i += 1) {
    const match = half[i]?.match ?? 0;
    let at = i;
    while (at > 0 && (descending[at - 1] ?? 0) < match) {
      descending[at] = descending[at - 1] ?? 0;
      at -= 1;
    }
    descending[at] = match;
  }
  return descending[Math.floor(voters / 2)] ?? 0;
}

export function jointCommittedIndex(
  incoming: readonly { readonly match: Index }[],
  outgoing: readonly { readonly match: Index }[],
): Index {
  return Math.min(committedIndex(incoming), committedIndex(outgoing));
}

/** Won as soon as a majority said yes, lost as soon as one can't any more. */
export function voteResult(half: readonly NodeId[], votes: ReadonlyMap<NodeId, boolean>): VoteResult {
  const needed = half.length === 0 ? 0 : Math.floor(half.length / 2) + 1;
  let granted = 0;
  let open = 0;
  for (const id of half) {
    const vote = votes.get(id);
    if (vote === undefined) open += 1;
    else if (vote) granted += 1;
  }
  if (granted >= needed) return "won";
  return granted + open >= needed ? "pending" : "lost";
}

export function jointVoteResult(
  incoming: readonly NodeId[],
  outgoing: readonly NodeId[],
  votes: ReadonlyMap<NodeId, boolean>,
): VoteResult {
  const one = voteResult(incoming, votes);
  const other = voteResult(outgoing, votes);
  if (one === other) return one;
  return one === "lost" || other === "lost" ? "lost" : "pending";
}
