/** Whom all the others depend on: the leader, or the primary where servers stand in no election. */
import type { ProcessId } from "../../engine/index.ts";
import type { Mirror } from "./mirror.ts";
import { leaderId } from "./selectors.ts";

/** `none`: servers that each stand alone, as Redlock's do. */
export type ChiefKind = "leader" | "primary" | "none";

export const chiefKind = ({ lab }: Mirror): ChiefKind => {
  if (lab === null || lab.servers.length === 0) return "leader";
  return lab.lab === "redlock" ? "none" : "primary";
};

export const chiefId = (view: Mirror): ProcessId | null => {
  const kind = chiefKind(view);
  if (kind === "leader") return leaderId(view);
  return kind === "none" ? null : (view.lab?.primaries.findLast(({ to }) => to === null)?.server ?? null);
};
