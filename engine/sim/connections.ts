/**
 * Connections between clients and members, with TCP's promise: in order, nothing lost or doubled while both ends live.
 *
 * A cut link makes what is on it wait; when the link is mended it is sent again. A segment that is held or lost by hand
 * leaves a gap: what was sent behind it waits at the receiver's kernel, until the gap is filled. One that was lost is sent
 * again after a timeout. An end that dies resets the connection, and the other end hears of it only when that can reach
 * it: until then the connection is half open. Opening takes a round trip, and the kernel of a paused process still accepts.
 */
import { present } from "../base/assert.ts";
import type { Micros } from "../base/units.ts";
import { type Cell, isUp, type Pending, type PendingState, savePending } from "./cell.ts";
import type { MessageId, ProcessId } from "./command.ts";
import type { Lost, Segment, SegmentPart } from "./events.ts";
import { type Link, RETRANSMIT_AFTER } from "./network.ts";
import type { ConnectionId, Input } from "./process.ts";

/** What connections need of the world. */
export interface Carrier {
  readonly now: Micros;
  link(from: Cell, to: Cell): Link;
  cell(id: ProcessId): Cell;
  /** Sends a part: on its way when `arrivesAt` is given, else it waits. `copyOf`: it is sent again. */
  segment(from: Cell, to: Cell, part: Segment, arrivesAt: Micros | null, copyOf: MessageId | null): Pending;
  /** Parts of a half that are on their way, in order. */
  onTheWay(from: Cell, to: Cell, connection: ConnectionId): readonly Pending[];
  /** Takes a part off its way: it waits from now on. */
  stop(part: Pending): void;
  /** Puts a waiting part on its way. */
  release(part: Pending, arrivesAt: Micros): void;
  deliver(cell: Cell, input: Input, event: Pending): void;
  /** A part that nobody waits for any more has arrived. */
  ignore(event: Pending, why: Lost): void;
}

interface Half {
  readonly from: Cell;
  readonly to: Cell;
  lastArrival: Micros;
  /** What waits for the link to be mended, or for a gap before it to be filled; in order. */
  stalled: Pending[];
  /** Sequence numbers of what somebody holds. */
  gaps: readonly number[];
  /** How many parts were sent. */
  sent: number;
  /** The receiving end still takes what comes. */
  open: boolean;
}

interface Connection {
  readonly id: ConnectionId;
  readonly toServer: Half;
  readonly toClient: Half;
}

interface HalfState {
  readonly from: ProcessId;
  readonly to: ProcessId;
  readonly lastArrival: Micros;
  readonly stalled: readonly PendingState[];
  readonly gaps: readonly number[];
  readonly sent: number;
  readonly open: boolean;
}

export interface ConnectionsState {
  readonly connections: readonly {
    readonly id: ConnectionId;
    readonly toServer: HalfState;
    readonly toClient: HalfState;
  }[];
}

export class Connections {
  readonly #carrier: Carrier;
  readonly #connections = new Map<ConnectionId, Connection>();

  constructor(carrier: Carrier) {
    this.#carrier = carrier;
  }

  open(id: ConnectionId, client: Cell, server: Cell): void {
    const half = (from: Cell, to: Cell): Half => ({
      from,
      to,
      lastArrival: this.#carrier.now,
      stalled: [],
      gaps: [],
      sent: 0,
      open: true,
    });
    const connection = { id, toServer: half(client, server), toClient: half(server, client) };
    this.#connections.set(id, connection);
    this.#send(connection.toServer, id, { part: "open" });
  }

  /** Data from this end; nothing happens when the connection is gone, as with a socket that was reset. */
  transmit(id: ConnectionId, from: Cell, data: unknown): void {
    const half = this.#halfFrom(id, from);
    if (half?.open) this.#send(half, id, { part: "data", data });
  }

  close(id: ConnectionId, from: Cell): void {
    const half = this.#halfFrom(id, from);
    if (half?.open) this.#end(id, from, "close");
  }

  /** All connections of a process that died. */
  endDies(cell: Cell): void {
    for (const { id, toServer, toClient } of this.#connections.values()) {
      if (toServer.from === cell || toClient.from === cell) this.#end(id, cell, "reset");
    }
  }

  arrives(event: Pending): void {
    const segment = event.body as Segment;
    const connection = this.#connections.get(segment.connection);
    const half =
      connection === undefined
        ? null
        : event.cell === connection.toServer.to
          ? connection.toServer
          : connection.toClient;
    if (connection === undefined || half === null || !half.open) return this.#carrier.ignore(event, "closed");
    switch (segment.part) {
      case "open":
        if (!isUp(half.to)) {
          this.#carrier.ignore(event, "receiver-down");
          return this.#end(segment.connection, half.to, "refuse");
        }
        this.#send(connection.toClient, segment.connection, { part: "accept" });
        return this.#carrier.deliver(
          half.to,
          { type: "accepted", connection: segment.connection, from: half.from.id },
          event,
        );
      case "accept":
        return this.#carrier.deliver(half.to, { type: "connected", connection: segment.connection }, event);
      case "data":
        return this.#carrier.deliver(
          half.to,
          { type: "received", connection: segment.connection, data: segment.data },
          event,
        );
      case "refuse":
      case "reset":
      case "close":
        this.#connections.delete(segment.connection);
        return this.#carrier.deliver(
          half.to,
          { type: "closed", connection: segment.connection, reset: segment.part !== "close" },
          event,
        );
    }
  }

  /** A link was cut: the parts that were on it wait from now on, before those that waited already. */
  stall(parts: readonly Pending[]): void {
    for (const part of parts) {
      const half = this.#halfFrom((part.body as Segment).connection, part.from as Cell);
      if (half !== null) putInOrder(half.stalled, part);
    }
  }

  /** A part was taken off its way by hand: what was sent behind it has to wait for it. */
  held(part: Pending): void {
    const { connection, seq } = part.body as Segment;
    const half = this.#halfFrom(connection, part.from as Cell);
    if (half === null) return;
    half.gaps = [...half.gaps, seq];
    for (const each of this.#behind(half, connection, seq)) {
      this.#carrier.stop(each);
      putInOrder(half.stalled, each);
    }
  }

  /** Let go by hand: it goes on, and what waited for it, as far as nothing before it is missing. */
  letGo(part: Pending): void {
    const { connection, seq } = part.body as Segment;
    const half = this.#halfFrom(connection, part.from as Cell);
    if (half === null) return this.#carrier.release(part, this.#carrier.now + 1);
    half.gaps = half.gaps.filter((gap) => gap !== seq);
    putInOrder(half.stalled, part);
    this.#flow(half);
  }

  /**
   * Lost by hand, on its way or held: it is sent again after a timeout, and what was sent behind it comes after it.
   *
   * @param swallowed somebody between the two ends has it: nobody misses it
   */
  lost(part: Pending, swallowed: boolean): void {
    const segment = part.body as Segment;
    const half = this.#halfFrom(segment.connection, part.from as Cell);
    if (half === null) return;
    const link = this.#carrier.link(half.from, half.to);
    half.gaps = half.gaps.filter((gap) => gap !== segment.seq);
    if (swallowed) return this.#flow(half);
    const behind = this.#behind(half, segment.connection, segment.seq);
    const waits = link.cut || this.#isMissing(half, segment.seq);
    const arrivesAt = waits ? null : this.#arrival(half, link, RETRANSMIT_AFTER);
    const again = this.#carrier.segment(half.from, half.to, segment, arrivesAt, part.id);
    if (waits) putInOrder(half.stalled, again);
    for (const each of behind) {
      this.#carrier.stop(each);
      putInOrder(half.stalled, each);
    }
    this.#flow(half);
  }

  /** A link was mended: what waited for it is sent again, in order. */
  mended(link: Link): void {
    for (const { toServer, toClient } of this.#connections.values()) {
      for (const half of [toServer, toClient]) {
        if (half.from.id === link.from && half.to.id === link.to) this.#flow(half);
      }
    }
  }

  isWaiting(id: MessageId): boolean {
    for (const { toServer, toClient } of this.#connections.values()) {
      if (toServer.stalled.some((part) => part.id === id) || toClient.stalled.some((part) => part.id === id))
        return true;
    }
    return false;
  }

  state(): ConnectionsState {
    const save = (half: Half): HalfState => ({
      ...half,
      from: half.from.id,
      to: half.to.id,
      stalled: half.stalled.map(savePending),
    });
    return {
      connections: [...this.#connections.values()].map(({ id, toServer, toClient }) => ({
        id,
        toServer: save(toServer),
        toClient: save(toClient),
      })),
    };
  }

  restore(state: ConnectionsState, load: (event: PendingState) => Pending): void {
    const half = (saved: HalfState): Half => ({
      ...saved,
      from: this.#carrier.cell(saved.from),
      to: this.#carrier.cell(saved.to),
      stalled: saved.stalled.map(load),
    });
    for (const { id, toServer, toClient } of state.connections) {
      this.#connections.set(id, { id, toServer: half(toServer), toClient: half(toClient) });
    }
  }

  /** This end takes and gives no more, and tells the other. */
  #end(id: ConnectionId, cell: Cell, part: "close" | "refuse" | "reset"): void {
    const connection = present(this.#connections.get(id), "the connection that ends");
    const [outward, inward] =
      connection.toServer.from === cell
        ? [connection.toServer, connection.toClient]
        : [connection.toClient, connection.toServer];
    inward.open = false;
    if (outward.open) this.#send(outward, id, { part });
    else this.#connections.delete(id);
  }

  #send(half: Half, connection: ConnectionId, part: SegmentPart): void {
    const link = this.#carrier.link(half.from, half.to);
    const waits = link.cut || half.stalled.length > 0 || half.gaps.length > 0;
    half.sent += 1;
    const seq = half.sent;
    // Not by spreading: a copy that then grows costs a microsecond, and every request and answer comes through here.
    const segment: Segment =
      part.part === "data" ? { part: "data", connection, seq, data: part.data } : { part: part.part, connection, seq };
    const sent = this.#carrier.segment(half.from, half.to, segment, waits ? null : this.#arrival(half, link), null);
    if (waits) half.stalled.push(sent);
  }

  /** Everything that waits goes on, up to the first gap. */
  #flow(half: Half): void {
    const link = this.#carrier.link(half.from, half.to);
    if (link.cut) return;
    const going = half.stalled.filter(({ body }) => !this.#isMissing(half, (body as Segment).seq));
    half.stalled = half.stalled.slice(going.length);
    for (const part of going) this.#carrier.release(part, this.#arrival(half, link));
  }

  /** Whether something before it is held. */
  #isMissing({ gaps }: Half, seq: number): boolean {
    return gaps.some((gap) => gap < seq);
  }

  #behind({ from, to }: Half, connection: ConnectionId, seq: number): readonly Pending[] {
    return this.#carrier.onTheWay(from, to, connection).filter(({ body }) => (body as Segment).seq > seq);
  }

  #arrival(half: Half, link: Link, delay: Micros = 0): Micros {
    const again = link.rng.chance(link.quality.lossPerMillion) ? RETRANSMIT_AFTER : 0;
    half.lastArrival = Math.max(half.lastArrival + 1, this.#carrier.now + delay + link.latency() + again);
    return half.lastArrival;
  }

  #halfFrom(id: ConnectionId, from: Cell): Half | null {
    const connection = this.#connections.get(id);
    if (connection === undefined) return null;
    return connection.toServer.from === from
      ? connection.toServer
      : connection.toClient.from === from
        ? connection.toClient
        : null;
  }
}

function putInOrder(parts: Pending[], part: Pending): void {
  const { seq } = part.body as Segment;
  const at = parts.findIndex(({ body }) => (body as Segment).seq > seq);
  parts.splice(at < 0 ? parts.length : at, 0, part);
}
