/**
 * Named questions to a view (`useView`) and to a world's state (`useWorld`). Each returns what the store holds or a
 * primitive, never something made on the spot, so that what did not change does not render.
 */
import type {
  ClientView,
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
  TimerView,
} from "../../engine/index.ts";
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
export const timerOf =
  (id: ProcessId) =>
  (view: Mirror): TimerView | null =>
    view.members.get(id)?.timer ?? null;
export const ballotsOf =
  (id: ProcessId) =>
  (view: Mirror): MemberView["ballots"] =>
    view.members.get(id)?.ballots ?? null;
export const commitOf =
  (id: ProcessId) =>
  (view: Mirror): number =>
    view.members.get(id)?.commit ?? 0;
export const appliedOf =
  (id: ProcessId) =>
  (view: Mirror): number =>
    view.members.get(id)?.applied ?? 0;
export const durableOf =
  (id: ProcessId) =>
  (view: Mirror): number =>
    view.members.get(id)?.durable ?? 0;
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
export const logsAreEmpty = (view: Mirror): boolean => {
  for (const { lastIndex } of view.members.values()) if (lastIndex > 0) return false;
  return true;
};
export const flightCount = (view: Mirror): number => view.flights.size;

export const cuts = (view: Mirror): ReadonlySet<string> => view.cuts;
export const network = (view: Mirror): LinkQuality => view.network;
export const reigns = (view: Mirror): readonly Reign[] => view.reigns;
export const notes = (view: Mirror): readonly Note[] => view.notes;
export const lastNote = (view: Mirror): Note | null => view.notes.at(-1) ?? null;

/** The running member that leads in the highest term, as a person looking at all of them would say. */
export const leaderId = (view: Mirror): ProcessId | null => {
  let leader: MemberView | null = null;
  for (const member of view.members.values()) {
    if (member.role !== "leader" || member.liveness === "crashed" || member.liveness === "panicked") continue;
    if (leader === null || member.term > leader.term) leader = member;
  }
  return leader?.id ?? null;
};

/** The moment, rounded down, for a clock that need not be told every frame. */
export const atRounded =
  (stepUs: number) =>
  (view: Mirror): number =>
    view.at - (view.at % stepUs);

export const statusOf = (world: WorldState): WorldState["status"] => world.status;
export const specOf = (world: WorldState): WorldState["spec"] => world.spec;
export const playingOf = (world: WorldState): boolean => world.playing;
export const speedOf = (world: WorldState): WorldState["speed"] => world.speed;
export const placementOf = (world: WorldState): WorldState["placement"] => world.placement;
export const hashOf = (world: WorldState): string => world.hash;
export const refusedOf = (world: WorldState): WorldState["refused"] => world.refused;
export const problemsOf = (world: WorldState): WorldState["problems"] => world.problems;
/** Whether the past is shown. */
export const inPast = (world: WorldState): boolean => world.view.n < world.headN || world.view.at < world.headAt;
