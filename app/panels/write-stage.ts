/** How far a write has come on one member: pure, from the facts of the view. */
import type { LogView, MemberView, WriteView } from "../../engine/index.ts";

export type WriteStage = "none" | "appended" | "committed" | "applied" | "lost";

export function writeStage(
  entry: WriteView["entry"],
  member: Pick<MemberView, "commit" | "applied">,
  log: LogView | null,
): WriteStage {
  if (entry === null) return "none";
  const compacted = log !== null && entry.index < log.firstIndex;
  const cell = compacted ? undefined : log?.cells[entry.index - log.firstIndex];
  const holds = compacted ? entry.index <= member.applied : cell?.term === entry.term;
  if (!holds) return cell === undefined ? "none" : "lost";
  if (entry.index <= member.applied) return "applied";
  return entry.index <= member.commit ? "committed" : "appended";
}
