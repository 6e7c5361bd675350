/**
 * Majority and joint quorums, drawn as a table (FORMAT.md §7).
 */
import { byLengthThenUnits } from "../../base/compare.ts";
import { jointCommittedIndex, jointVoteResult } from "../../raft/quorum.ts";
import type { Index, NodeId } from "../../raft/types.ts";
import { nodeId } from "../../raft/types.ts";
import type { Argument, Command } from "./transcript.ts";
import { integer, memberId, TranscriptError } from "./transcript.ts";

/** A half of the quorum, each voter once. */
type Half = readonly NodeId[];

export class QuorumTables {
  run({ name, args }: Command): string {
    const incoming = halfOf(args, "cfg");
    const outgoing = halfOf(args, "cfgj");
    const voters: Half = [...new Set([...incoming, ...outgoing])];
    if (name === "vote") return this.#vote(incoming, outgoing, assigned(voters, args, "votes", voteOf));
    if (name === "committed") return this.#committed(incoming, outgoing, assigned(voters, args, "idx", indexOf));
    return "unknown command";
  }

  #vote(incoming: Half, outgoing: Half, votes: ReadonlyMap<NodeId, boolean> | string): string {
    if (typeof votes === "string") return votes;
    const words = { won: "VoteWon", lost: "VoteLost", pending: "VotePending" };
    return `${words[jointVoteResult(incoming, outgoing, votes)]}\n`;
  }

  #committed(incoming: Half, outgoing: Half, acks: ReadonlyMap<NodeId, Index> | string): string {
    if (typeof acks === "string") return acks;
    const matches = (half: Half): { readonly match: Index }[] => half.map((id) => ({ match: acks.get(id) ?? 0 }));
    const index = jointCommittedIndex(matches(incoming), matches(outgoing));
    const voters = [...new Set([...incoming, ...outgoing])].sort(byLengthThenUnits);
    return `${table(voters, acks)}${index === Number.POSITIVE_INFINITY ? "∞" : index}\n`;
  }
}

/** A bar for each voter: as long as there are voters that acknowledged less. */
function table(voters: Half, acks: ReadonlyMap<NodeId, Index>): string {
  const n = voters.length;
  if (n === 0) return "<empty majority quorum>";
  const indexOfVoter = (id: NodeId): Index => acks.get(id) ?? 0;
  const ranked = [...voters].sort((a, b) => indexOfVoter(a) - indexOfVoter(b) || byLengthThenUnits(a, b));
  const bars = new Map<NodeId, number>();
  let bar = 0;
  let before = indexOfVoter(ranked[0] ?? nodeId("0"));
  ranked.forEach((id, position) => {
    if (indexOfVoter(id) > before) bar = position;
    before = indexOfVoter(id);
    bars.set(id, bar);
  });
  const rows = voters.map((id) => {
    const length = bars.get(id) ?? 0;
    const mark = acks.has(id) ? `${"x".repeat(length)}>${" ".repeat(n - length)}` : `?${" ".repeat(n)}`;
    return `${mark} ${String(indexOfVoter(id)).padStart(5)}    (id=${id})\n`;
  });
  return `${" ".repeat(n)}    idx\n${rows.join("")}`;
}

function halfOf(args: readonly Argument[], key: string): Half {
  const values = args.find((arg) => arg.key === key)?.values ?? [];
  if (key === "cfgj" && values.length === 1 && values[0] === "zero") return [];
  return [...new Set(values.map((value) => memberId(value, key)))];
}

/** What stands for a value where etcd prints it as a number. */
const PLACEHOLDERS: Readonly<Record<string, string>> = { _: "0", n: "1", y: "2" };

/** Gives the values to the voters in order; `_` gives none. */
function assigned<T>(
  voters: Half,
  args: readonly Argument[],
  key: string,
  read: (text: string) => T,
): ReadonlyMap<NodeId, T> | string {
  for (const arg of args)
    if (!["cfg", "cfgj", key].includes(arg.key)) throw new TranscriptError(`unknown option ${arg.raw}`);
  const values = args.find((arg) => arg.key === key)?.values ?? [];
  if (values.length !== voters.length) {
    const names = [...voters].sort(byLengthThenUnits).map((id) => `${BigInt(`0x${id}`)}:{}`);
    const given = values.map((value) => PLACEHOLDERS[value] ?? value);
    return `error: mismatched input (explicit or _) for voters map[${names.join(" ")}]: [${given.join(" ")}]\n`;
  }
  const map = new Map<NodeId, T>();
  voters.forEach((id, i) => {
    const value = values[i];
    if (value !== undefined && value !== "_") map.set(id, read(value));
  });
  return map;
}

function voteOf(text: string): boolean {
  if (text === "y") return true;
  if (text === "n") return false;
  throw new TranscriptError(`a vote is y, n or _, not ${text}`);
}

function indexOf(text: string): Index {
  return integer(text, "an index");
}
