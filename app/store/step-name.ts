/** The key of a step's name: a client's own step is told as any client's. */
import type { StepKind } from "../../engine/index.ts";

export function stepKey(kind: StepKind): "event" | "message" | "role" | "lock" | "client" {
  return kind === "event" || kind === "message" || kind === "role" || kind === "lock" ? kind : "client";
}
