/**
 * Named questions to a view (`useView`) and to a world's state (`useWorld`). Each returns what the store holds or a
 * primitive, never something made on the spot, so that what did not change does not render.
 */
import type {
  ClientView,
  ConfView,
  Flight,
  LinkQuality,
  Liveness,
  LogView,
  MemberView,
  MessageId,
  Note,
  ProcessId,
  Reign,
  Role,
  Settings,
  ViolationView,
  ServerView,
} from "../../engine/index.ts";
import { currentConf } from "./conf.ts";
import type { Mirror } from "./mirror.ts";
import type { WorldState } from "./worlds.ts";

export const memberIds = (view: Mirror): readonly ProcessId[] => view.memberIds;
export const clientIds = (view: Mirror): readonly ProcessId[] => view.clientIds;

export const memberOf =
  (id: ProcessId) =>
  (view: Mirror): MemberView | null =>
    view.members.get(id) ?? null;
export const livenessOf =
  (id: ProcessId) =>
  (view: Mirror): Liveness =>
    view.members.get(id)?.liveness ?? view.clients.get(id)?.liveness ?? "crashed";
export const roleOf =
  (id: ProcessId) =>
  (view: Mirror): Role =>
    view.members.get(id)?.role ?? "follower";
export const termOf =
  (id: ProcessId) =>
  (view: Mirror): number =>
    view.members.get(id)?.term ?? 0;
export const ballotsOf =
  (id: ProcessId) =>
  (view: Mirror): MemberView["ballots"] =>
    view.members.get(id)?.ballots ?? null;
export const valueOf =
  (id: ProcessId) =>
  (view: Mirror): string | null =>
    view.members.get(id)?.value ?? null;
export const panicOf =
  (id: ProcessId) =>
  (view: Mirror): MemberView["panic"] =>
    view.members.get(id)?.panic ?? null;
export const logOf =
  (id: ProcessId) =>
  (view: Mirror): LogView | null =>
    view.logs.get(id) ?? null;
export const clientOf =
  (id: ProcessId) =>
  (view: Mirror): ClientView | null =>
    view.clients.get(id) ?? null;
export const flightOf =
  (id: MessageId) =>
  (view: Mirror): Flight | null =>
    view.flights.get(id) ?? null;

export const cuts = (view: Mirror): ReadonlySet<string> => view.cuts;
export const network = (view: Mirror): LinkQuality => view.network;
export const reigns = (view: Mirror): readonly Reign[] => view.reigns;
/** The role of a server that stands in no election; null for a member. */
export const serverOf =
  (id: ProcessId) =>
  (view: Mirror): ServerView["role"] | null =>
    view.lab?.servers.find((server) => server.id === id)?.role ?? null;
/** Whether anybody has ever led: what is of use only then is fetched then. */
export const everLed = (view: Mirror): boolean => view.reigns.length > 0;
/** Whether there is somebody to serve: a leader was elected, or none is needed. */
export const hasStarted = (view: Mirror): boolean => everLed(view) || (view.lab?.servers.length ?? 0) > 0;
export const anyPanicked = (view: Mirror): boolean => {
  for (const { liveness } of view.members.values()) if (liveness === "panicked") return true;
  return false;
};
export const settings = (view: Mirror): Settings => view.settings;
export const violation = (view: Mirror): ViolationView | null => view.violation;
export const faults = (view: Mirror): readonly Note[] => view.faults;
export const notes = (view: Mirror): readonly Note[] => view.notes;

/** The membership that counts: the leader's, or else that of the one who has come furthest; null before any is known. */
export const confOf = (view: Mirror): ConfView | null => currentConf(view.members);

/** What a member is to the configuration that counts. `old`, `new`: a voter of one half of a joint one only. */
export type ConfPlace = "voter" | "old" | "new" | "learner" | "outside";

export const placeIn = (conf: ConfView | null, id: ProcessId): ConfPlace => {
  if (conf === null) return "voter";
  const [now, before] = [conf.voters.includes(id), conf.votersOutgoing.includes(id)];
  if (now && (before || conf.votersOutgoing.length === 0)) return "voter";
  if (now || before) return now ? "new" : "old";
  return conf.learners.includes(id) || conf.learnersNext.includes(id) ? "learner" : "outside";
};
export const confPlaceOf =
  (id: ProcessId) =>
  (view: Mirror): ConfPlace =>
    placeIn(confOf(view), id);

export const votersCount = (view: Mirror): number => confOf(view)?.voters.length ?? view.memberIds.length;

/** The running member that leads in the highest term, as a person looking at all of them would say. */
export const leaderId = (view: Mirror): ProcessId | null => {
  let leader: MemberView | null = null;
  for (const member of view.members.values()) {
    if (member.role !== "leader" || member.liveness === "crashed" || member.liveness === "panicked") continue;
    if (leader === null || member.term > leader.term) leader = member;
  }
  return leader?.id ?? null;
};

export const statusOf = (world: WorldState): WorldState["status"] => world.status;
export const specOf = (world: WorldState): WorldState["spec"] => world.spec;
export const playingOf = (world: WorldState): boolean => world.playing;
export const speedOf = (world: WorldState): WorldState["speed"] => world.speed;
export const placementOf = (world: WorldState): WorldState["placement"] => world.placement;
export const refusedOf = (world: WorldState): WorldState["refused"] => world.refused;
export const problemsOf = (world: WorldState): WorldState["problems"] => world.problems;
/** Whether the past is shown. */
export const inPast = (world: WorldState): boolean => world.view.n < world.headN || world.view.at < world.headAt;
