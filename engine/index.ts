/**
 * The engine's front door: what the app may import. `app/player` alone also reaches into `worker/`, to start it.
 */
export { assert, AssertionError, present, unreachable } from "./base/assert.ts";
export type { Brand } from "./base/brand.ts";
export { byLengthThenUnits } from "./base/compare.ts";
export { type Micros, MS, SECOND } from "./base/units.ts";
export { type RuleName, RULES } from "./check/violation.ts";
export {
  DEFAULT_CONFIG,
  type RunConfig,
  type RunSpec,
  type SystemName,
  type Timing,
  type TimingProfile,
  TIMINGS,
} from "./scenario/config.ts";
export { checkLab, LAB_CLIENTS_MAX, LAB_SYSTEMS, type LabConfig } from "./labs/config.ts";
export { clientName } from "./labs/names.ts";
export type { Harm, Story, StoryCommand, StoryId, Telling } from "./scenario/stories.ts";
export type { RecordedStory } from "./scenario/stories/story.ts";
export {
  BROKEN_RULES,
  type BrokenRule,
  type Command,
  type CommandType,
  type DiskQuality,
  type LinkEnds,
  linkKey,
  type LinkQuality,
  type MembershipStep,
  type MessageId,
  type ProcessId,
  type Recorded,
  type Refusal,
  type Settings,
} from "./sim/command.ts";
export {
  CONSOLE_TEXT_MAX,
  CONSOLE_WORDS_MAX,
  DRIFT_PPM_MAX,
  FSYNC_MAX,
  LATENCY_MAX,
  VALUE_LENGTH_MAX,
} from "./sim/command-check.ts";
export {
  type Ballot,
  type ClientView,
  type Delta,
  type Flight,
  type FlightKind,
  FAULTS_KEPT,
  LOG_WINDOW,
  NOTES_KEPT,
  type LogCell,
  type LogChange,
  type LogView,
  type MemberView,
  type Note,
  type Reign,
  type Role,
  type TimerView,
  type View,
  type ReadView,
  type ConfView,
  type ViolationView,
  type WriteView,
} from "./trace/view.ts";
export type {
  ConsoleLine,
  ConsoleView,
  Delivered,
  EtcdDelta,
  EtcdMemberView,
  EtcdView,
  KeyChange,
  KeyView,
  LeaseView,
  RequestStage,
  RequestStep,
  RequestView,
  WatchView,
} from "./trace/etcd-view.ts";
export type { DiskFileView, DiskView, RecordCounts } from "./trace/disk-view.ts";
export type { Liveness } from "./trace/liveness.ts";
export type {
  Hold,
  LabClientView,
  LabDelta,
  LabView,
  Overlap,
  QueuePlace,
  ResourceView,
  ResourceWrite,
  PrimarySpan,
  ServerView,
  ThreadView,
} from "./trace/lab-view.ts";
export type {
  BranchInfo,
  BreakpointHit,
  Coordinator,
  Moment,
  Placement,
  Recording,
  StepKind,
  WorldId,
} from "./worker/protocol.ts";
