/**
 * Which proposals have been applied, so that one that came twice is applied once. Between real members a proposal
 * travels on a stream, which doubles nothing; here it is a datagram, and the network may. Replicated: all members that
 * applied the same entries have seen the same.
 */
import type { ByteReader, ByteWriter } from "../base/bytes.ts";
import type { Origin as Proposal } from "./envelope.ts";

/** Of each member the last life counts, and of that the last so many tickets: what is older counts as seen. */
const WINDOW = 4_096;

interface Origin {
  incarnation: number;
  max: number;
  /** Those above `max - WINDOW`, and some below it. */
  tickets: Set<number>;
}

export type SeenCheckpoint = readonly (readonly [string, number, number, readonly number[]])[];

export class Seen {
  readonly #origins = new Map<string, Origin>();

  /** Notes it. @returns whether it is the first time */
  add({ origin: id, incarnation, serial: ticket }: Proposal): boolean {
    let origin = this.#origins.get(id);
    if (origin === undefined || incarnation > origin.incarnation) {
      origin = { incarnation, max: 0, tickets: new Set() };
      this.#origins.set(id, origin);
    }
    if (incarnation < origin.incarnation || ticket <= origin.max - WINDOW || origin.tickets.has(ticket)) return false;
    origin.tickets.add(ticket);
    if (ticket > origin.max) origin.max = ticket;
    if (origin.tickets.size > 2 * WINDOW) origin.tickets = new Set(recent(origin));
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
    return [...this.#origins]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, origin]) => [id, origin.incarnation, origin.max, recent(origin)] as const);
  }

  resume(saved: SeenCheckpoint): void {
    this.#origins.clear();
    for (const [id, incarnation, max, tickets] of saved)
      this.#origins.set(id, { incarnation, max, tickets: new Set(tickets) });
  }
}

/** Those of the window, in order. */
function recent({ max, tickets }: Origin): number[] {
  return [...tickets].filter((ticket) => ticket > max - WINDOW).sort((a, b) => a - b);
}
