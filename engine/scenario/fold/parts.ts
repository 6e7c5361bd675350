/** What is folded for the page besides members, logs and messages, each in a fold of its own. */
import type { Micros } from "../../base/units.ts";
import type { TraceEvent } from "../../sim/events.ts";
import type { EtcdDelta } from "../../trace/etcd-view.ts";
import type { LabDelta } from "../../trace/lab-view.ts";
import type { Note } from "../../trace/view.ts";
import type { DescribeData } from "./describe.ts";

/** One more fold over the trace: what of it changed goes to the page with each delta. */
export interface PartFold<Part> {
  add(traced: TraceEvent): void;
  /** The moment up to which it has seen everything. */
  settle(at: Micros): void;
  /** What changed since the last call; null when nothing did. */
  delta(): Part | null;
  /** Everything, whatever was told before. */
  keyframe(): Part;
  /** Plain data, from which another one goes on. */
  state(): unknown;
}

/** Which a run has depends on its config. */
export interface Parts {
  /** Tells what clients and members, or the services of two members, say to each other. */
  readonly describe: DescribeData;
  /** A note that an event is worth besides those of every cluster; null when nothing has any. */
  readonly note: ((traced: TraceEvent) => { readonly what: string; readonly figures: Note["figures"] } | null) | null;
  readonly etcd: PartFold<EtcdDelta> | null;
  readonly lab: PartFold<LabDelta> | null;
}

export interface PartStates {
  readonly etcd: unknown;
  readonly lab: unknown;
}
