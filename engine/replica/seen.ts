/**
 * Which proposals have been applied, so that one that came twice is applied once. Between real members a proposal
 * travels on a stream, which doubles nothing; here it is a datagram, and the network may. Replicated: all members that
 * applied the same entries have seen the same.
 */
import type { ByteReader, ByteWriter } from "../base/bytes.ts";
import type { Origin } from "./envelope.ts";

/** Of each member the last life counts, and of that the last so many tickets: what is older counts as seen. */
const WINDOW = 4_096;

interface Life {
  incarnation: number;
  max: number;
  /** A bit for each ticket above `max - WINDOW`, at its place in a ring. */
  readonly bits: Uint32Array;
}

export type SeenCheckpoint = readonly (readonly [string, number, number, readonly number[]])[];

export class Seen {
  readonly #lives = new Map<string, Life>();

  /** Notes it. @returns whether it is the first time */
  add({ origin, incarnation, serial }: Origin): boolean {
    let life = this.#lives.get(origin);
    if (life === undefined || incarnation > life.incarnation) {
      life = { incarnation, max: 0, bits: new Uint32Array(WINDOW / 32) };
      this.#lives.set(origin, life);
    }
    if (incarnation < life.incarnation || serial <= life.max - WINDOW || (serial <= life.max && has(life, serial)))
      return false;
    note(life, serial);
    return true;
  }

  snapshot(out: ByteWriter): void {
    const saved = this.checkpoint();
    out.varint(saved.length);
    for (const [id, incarnation, max, tickets] of saved) {
      out.text(id);
      out.varint(incarnation);
      out.varint(max);
      out.varint(tickets.length);
      for (const ticket of tickets) out.varint(max - ticket);
    }
  }

  restore(reader: ByteReader): void {
    const times = <T>(make: () => T): T[] => Array.from({ length: reader.varint() }, make);
    this.resume(
      times(() => {
        const id = reader.text();
        const incarnation = reader.varint();
        const max = reader.varint();
        return [id, incarnation, max, times(() => max - reader.varint())] as const;
      }),
    );
  }

  checkpoint(): SeenCheckpoint {
    return [...this.#lives]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, life]) => [id, life.incarnation, life.max, seenOf(life)] as const);
  }

  resume(saved: SeenCheckpoint): void {
    this.#lives.clear();
    for (const [id, incarnation, max, tickets] of saved) {
      const life = { incarnation, max, bits: new Uint32Array(WINDOW / 32) };
      for (const ticket of tickets) set(life, ticket);
      this.#lives.set(id, life);
    }
  }
}

function has({ bits }: Life, ticket: number): boolean {
  const at = ticket % WINDOW;
  return ((bits[at >>> 5] as number) & (1 << (at & 31))) !== 0;
}

function set({ bits }: Life, ticket: number): void {
  const at = ticket % WINDOW;
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
}

/** A newer ticket than any so far pushes as many old ones out of the window: their places are free. */
function note(life: Life, ticket: number): void {
  const { bits, max } = life;
  if (ticket - max >= WINDOW) bits.fill(0);
  else
    for (let passed = max + 1; passed < ticket; passed += 1) {
      const at = passed % WINDOW;
      bits[at >>> 5] = (bits[at >>> 5] as number) & ~(1 << (at & 31));
    }
  if (ticket > max) life.max = ticket;
  set(life, ticket);
}

/** Those of the window, in order. */
function seenOf(life: Life): number[] {
  const tickets: number[] = [];
  for (let ticket = Math.max(1, life.max - WINDOW + 1); ticket <= life.max; ticket += 1)
    if (has(life, ticket)) tickets.push(ticket);
  return tickets;
}
