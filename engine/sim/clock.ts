/**
 * The clocks of one process: an offset, a drift in millionths and jumps of the calendar clock, over virtual time.
 *
 * `mono` is piecewise linear in virtual time and never goes back; a change of drift starts a new piece.
 */
import type { Micros } from "../base/units.ts";
import type { Stamp } from "./process.ts";

const MILLION = 1_000_000;

export interface ClockState {
  readonly baseAt: Micros;
  readonly baseMono: Micros;
  readonly driftPpm: number;
  readonly wallOffset: Micros;
  /** Own time spent paused, in whole. */
  readonly paused: Micros;
  readonly pausedSince: Micros | null;
}

export class Clock {
  #state: ClockState;
  readonly #stamp: Stamp = { mono: 0, wall: 0, awake: 0 };

  constructor(state: ClockState) {
    this.#state = state;
  }

  static started(at: Micros, wallOffset: Micros): Clock {
    return new Clock({ baseAt: at, baseMono: 0, driftPpm: 0, wallOffset, paused: 0, pausedSince: null });
  }

  /** The same object at every call. */
  stamp(at: Micros): Stamp {
    const { paused, wallOffset } = this.#state;
    const mono = this.mono(at);
    const stamp = this.#stamp;
    stamp.mono = mono;
    stamp.wall = mono + wallOffset;
    stamp.awake = mono - paused;
    return stamp;
  }

  mono(at: Micros): Micros {
    const { baseAt, baseMono, driftPpm } = this.#state;
    const span = at - baseAt;
    return baseMono + span + (driftPpm === 0 ? 0 : Math.floor((span * driftPpm) / MILLION));
  }

  /** The first virtual instant at which the process's awake time is at least `awake`. */
  instantOf(awake: Micros): Micros {
    const { baseAt, baseMono, driftPpm, paused } = this.#state;
    const span = awake + paused - baseMono;
    if (driftPpm === 0 || span <= 0) return baseAt + Math.max(0, span);
    let at = baseAt + Math.ceil((span * MILLION) / (MILLION + driftPpm));
    while (this.mono(at) < awake + paused) at += 1;
    return at;
  }

  drift(at: Micros, driftPpm: number): void {
    this.#state = { ...this.#state, baseMono: this.mono(at), baseAt: at, driftPpm };
  }

  jump(by: Micros): void {
    this.#state = { ...this.#state, wallOffset: this.#state.wallOffset + by };
  }

  pause(at: Micros): void {
    this.#state = { ...this.#state, pausedSince: this.mono(at) };
  }

  resume(at: Micros): void {
    const { paused, pausedSince } = this.#state;
    this.#state = {
      ...this.#state,
      paused: paused + this.mono(at) - (pausedSince ?? this.mono(at)),
      pausedSince: null,
    };
  }

  state(): ClockState {
    return this.#state;
  }
}
