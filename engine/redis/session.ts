/** What a server knows of one connection, as plain data. */
import type { ConnectionId } from "../sim/process.ts";
import type { Micros } from "../base/units.ts";

export interface Watched {
  readonly db: number;
  readonly key: string;
  /** Its time was over already at WATCH: that it goes away is then no change. */
  readonly wasOver: boolean;
}

/** What a connection waits for; nothing else that it sends is looked at meanwhile. */
export type Blocked =
  | {
      readonly type: "wait";
      readonly n: number;
      readonly replicas: number;
      readonly offset: number;
      readonly until: Micros | null;
    }
  | { readonly type: "list"; readonly n: number; readonly args: readonly string[]; readonly until: Micros | null };

export interface Session {
  readonly id: ConnectionId;
  readonly number: number;
  name: string;
  db: number;
  /** Commands since MULTI; null outside. */
  queue: readonly (readonly string[])[] | null;
  /** A command was refused since MULTI: EXEC will not run. */
  aborted: boolean;
  watched: readonly Watched[];
  /** A watched key was changed. */
  broken: boolean;
  channels: readonly string[];
  patterns: readonly string[];
  /** The offset of the stream after its last write, which WAIT waits for. */
  wrote: number;
  blocked: Blocked | null;
  /** What it sent while it was blocked. */
  pending: readonly { readonly n: number; readonly args: readonly string[] }[];
}

export function newSession(id: ConnectionId, number: number): Session {
  return {
    id,
    number,
    name: "",
    db: 0,
    queue: null,
    aborted: false,
    watched: [],
    broken: false,
    channels: [],
    patterns: [],
    wrote: 0,
    blocked: null,
    pending: [],
  };
}

export function subscriptions({ channels, patterns }: Session): number {
  return channels.length + patterns.length;
}
