/** One connection of a client to one member: opened, used, lost, and tried again after a while. */
import type { Rng } from "../../base/rng.ts";
import type { Micros } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { ConnectionId } from "../../sim/process.ts";
import type { EtcdClientConfig } from "./config.ts";

export interface Connection {
  readonly member: ProcessId;
  /** Idle: nobody asked for it. `back-off`: it was lost, or refused, and waits. */
  readonly state: "idle" | "opening" | "ready" | "back-off";
  readonly id: ConnectionId | null;
  /** When opening is given up, or the back-off ends. */
  readonly until: Micros | null;
  /** Failures to connect since it was last ready. */
  readonly failures: number;
  /** When something last came from the member. */
  heardAt: Micros;
  /** The ping that is not answered yet. */
  pingedAt: Micros | null;
}

export function idle(member: ProcessId): Connection {
  return { member, state: "idle", id: null, until: null, failures: 0, heardAt: 0, pingedAt: null };
}

/** gRPC's connection back-off: 1.6 times longer with each failure, a fifth up or down. */
export function backOff(failures: number, { backOffMin, backOffMax }: EtcdClientConfig, rng: Rng): Micros {
  let span = backOffMin;
  for (let i = 1; i < failures && span < backOffMax; i += 1) span = Math.floor((span * 8) / 5);
  span = Math.min(span, backOffMax);
  const jitter = Math.floor(span / 5);
  return rng.between(span - jitter, span + jitter);
}

/** When a ping is to be sent, or its answer is too late; null when it is not in use, or pings are off. */
export function pingDue({ state, heardAt, pingedAt }: Connection, { keepAlive }: EtcdClientConfig): Micros | null {
  if (keepAlive === null || state !== "ready") return null;
  return pingedAt === null ? heardAt + keepAlive.time : pingedAt + keepAlive.timeout;
}
