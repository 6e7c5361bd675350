/**
 * What the world knows of the programs in it: inputs in, effects out.
 *
 * A process never sees a clock, a random source, a socket or a disk. Each input comes with a stamp of the process's own
 * clocks; its generator is part of its state; what it wants of the world it says through `Out`, and the world turns that
 * into later inputs, its own or others'. Whatever runs the process (this thread, a worker) cannot show in a run.
 */
import type { Rng } from "../base/rng.ts";
import type { Micros } from "../base/units.ts";
import type { ConsoleInput, MembershipStep, ProcessId, Settings } from "./command.ts";

/** The process's own clocks at an input. The object is used again: read it, do not keep it. */
export interface Stamp {
  /** Since the process's machine was started; drifts with its clock. */
  mono: Micros;
  /** What its calendar clock says; drifts and jumps. */
  wall: Micros;
  /** Like `mono`, but it stood still while the process was paused: a ticker of a stopped process drops its ticks. */
  awake: Micros;
}

/** Names a connection: its client's id, incarnation and count. */
export type ConnectionId = string;

export interface DiskFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export type Input =
  /** The first input of every incarnation: what its disk holds. */
  | {
      readonly type: "boot";
      readonly incarnation: number;
      readonly files: readonly DiskFile[];
      readonly settings: Settings;
    }
  | { readonly type: "message"; readonly from: ProcessId; readonly message: unknown }
  /** The instant asked for with `Out.wake` has come. */
  | { readonly type: "wake" }
  /** All that was written before `Out.sync(token)` is durable. */
  | { readonly type: "synced"; readonly token: number }
  /** A client has opened a connection to this process. */
  | { readonly type: "accepted"; readonly connection: ConnectionId; readonly from: ProcessId }
  /** The connection that this process asked for is open. */
  | { readonly type: "connected"; readonly connection: ConnectionId }
  | { readonly type: "received"; readonly connection: ConnectionId; readonly data: unknown }
  /** Closed by the other end; `reset` when that end died, or never was there. */
  | { readonly type: "closed"; readonly connection: ConnectionId; readonly reset: boolean }
  /** A person's command that is for this process to carry out. */
  | { readonly type: "asked"; readonly ask: Ask };

/** What a command has a process do. */
export type Ask =
  | { readonly type: "write"; readonly member: ProcessId | null; readonly value: string }
  | { readonly type: "read"; readonly member: ProcessId | null; readonly serializable: boolean }
  | {
      readonly type: "membership";
      readonly transition: "auto" | "implicit" | "explicit";
      readonly steps: readonly MembershipStep[];
    }
  | { readonly type: "transfer" }
  | { readonly type: "hold-back"; readonly on: boolean }
  | { readonly type: "step-client" }
  | { readonly type: "fence"; readonly on: boolean }
  | { readonly type: "snapshot" }
  | { readonly type: "settings"; readonly settings: Settings }
  | { readonly type: "console"; readonly input: ConsoleInput };

/** What a process may ask of the world. Calls take effect in the order in which they are made. */
export interface Out {
  /** A datagram: it may be lost, doubled or overtaken. */
  send(to: ProcessId, message: unknown): void;
  /** Asks for a `wake` when its own awake time reaches `awake`; replaces what was asked before. Null: no wake. */
  wake(awake: Micros | null): void;
  /**
   * Adds bytes to a file, which is made if it was not there. Durable only after a `sync` that follows. The bytes are
   * copied: the caller may use them again.
   */
  append(file: string, bytes: Uint8Array): void;
  truncate(file: string, length: number): void;
  remove(file: string): void;
  /** One barrier for all files: answered by `synced` with this token. */
  sync(token: number): void;
  open(connection: ConnectionId, to: ProcessId): void;
  transmit(connection: ConnectionId, data: unknown): void;
  close(connection: ConnectionId): void;
  /** Null when nobody listens: then events are not even built. */
  readonly emit: ((event: object) => void) | null;
}

/** One call of an `Out` method as plain data, in the order of the method's parameters: how a worker's effects travel. */
export type Effect =
  | readonly ["send", ProcessId, unknown]
  | readonly ["wake", Micros | null]
  | readonly ["append", string, Uint8Array]
  | readonly ["truncate", string, number]
  | readonly ["remove", string]
  | readonly ["sync", number]
  | readonly ["open", ConnectionId, ProcessId]
  | readonly ["transmit", ConnectionId, unknown]
  | readonly ["close", ConnectionId]
  | readonly ["emit", object];

export interface Process {
  step(input: Input, stamp: Stamp): void;
  /** The batch of one instant has ended: time for what is better done once (group commit). */
  flush(stamp: Stamp): void;
  /** Plain data that can be posted to a worker; cheap. */
  checkpoint(): unknown;
  /** Only on a new process, in place of its boot. */
  restore(checkpoint: unknown): void;
}

/** How to make a process, as plain data: `kind` picks the program, `config` is the program's own. */
export interface ProcessSpec {
  readonly id: ProcessId;
  readonly kind: "member" | "client";
  /** Whether it is there from the start; else it has to be spawned. */
  readonly present: boolean;
  readonly config: unknown;
}

export interface Env {
  readonly id: ProcessId;
  /** The process's own; its state is part of the process's checkpoint. */
  readonly rng: Rng;
  readonly out: Out;
}

export type Build = (spec: ProcessSpec, env: Env) => Process;

/** An `Out` that writes down what it is told. */
export class EffectList implements Out {
  effects: Effect[] = [];
  readonly emit = (event: object): void => void this.effects.push(["emit", event]);

  take(): Effect[] {
    const taken = this.effects;
    this.effects = [];
    return taken;
  }

  send(to: ProcessId, message: unknown): void {
    this.effects.push(["send", to, message]);
  }
  wake(awake: Micros | null): void {
    this.effects.push(["wake", awake]);
  }
  append(file: string, bytes: Uint8Array): void {
    this.effects.push(["append", file, bytes.slice()]);
  }
  truncate(file: string, length: number): void {
    this.effects.push(["truncate", file, length]);
  }
  remove(file: string): void {
    this.effects.push(["remove", file]);
  }
  sync(token: number): void {
    this.effects.push(["sync", token]);
  }
  open(connection: ConnectionId, to: ProcessId): void {
    this.effects.push(["open", connection, to]);
  }
  transmit(connection: ConnectionId, data: unknown): void {
    this.effects.push(["transmit", connection, data]);
  }
  close(connection: ConnectionId): void {
    this.effects.push(["close", connection]);
  }
}

/** Does to `out` what was written down. */
export function carryOut(effect: Effect, out: Out): void {
  switch (effect[0]) {
    case "send":
      return out.send(effect[1], effect[2]);
    case "wake":
      return out.wake(effect[1]);
    case "append":
      return out.append(effect[1], effect[2]);
    case "truncate":
      return out.truncate(effect[1], effect[2]);
    case "remove":
      return out.remove(effect[1]);
    case "sync":
      return out.sync(effect[1]);
    case "open":
      return out.open(effect[1], effect[2]);
    case "transmit":
      return out.transmit(effect[1], effect[2]);
    case "close":
      return out.close(effect[1]);
    case "emit":
      return out.emit?.(effect[1]);
  }
}
