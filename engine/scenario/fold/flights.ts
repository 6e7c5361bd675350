/** Messages on their way. Each is kept as the trace told of it, and described only if a picture is taken while it travels. */
import { Passing } from "../../base/passing.ts";
import type { Micros } from "../../base/units.ts";
import type { Message } from "../../raft/types.ts";
import type { ServiceMessage } from "../../replica/replica.ts";
import type { MessageId, ProcessId } from "../../sim/command.ts";
import type { Lost, TraceEvent, WorldEvent } from "../../sim/events.ts";
import type { Flight } from "../../trace/view.ts";
import { type DescribeData, describeMessage, describeSegment } from "./describe.ts";

type Sent = WorldEvent & { readonly type: "sent" };

export interface Travelling {
  readonly from: ProcessId;
  readonly sentAt: Micros;
  readonly heldAt: Micros | null;
  /** What the trace told of it; `arrivesAt` and `lost` as they are now. */
  readonly event: Sent;
}

/** What is kept of one; whether the page has heard of it, and whether it has changed since. */
type Kept = Travelling & { known: boolean; changed: boolean };

/** How long a message that was taken from its way is still shown there. */
const LOST_LINGERS: Micros = 10_000;
/** Lost messages are looked through when there are more than this, though no picture was taken. */
const PRUNED_ABOVE = 10_000;

export class Flights {
  readonly #travelling = new Passing<Kept>();
  #landed: MessageId[] = [];

  readonly #describeData: DescribeData;

  constructor(describeData: DescribeData, travelling: readonly Travelling[] = []) {
    this.#describeData = describeData;
    for (const flight of travelling) {
      this.#travelling.add(flight.event.message, { ...flight, known: true, changed: false });
    }
  }

  sent({ process, at }: TraceEvent, event: Sent): void {
    const from = process as ProcessId;
    const heldAt = event.arrivesAt === null ? at : null;
    this.#travelling.add(event.message, { from, sentAt: at, heldAt, event, known: false, changed: true });
    if (event.lost !== null && this.#travelling.size > PRUNED_ABOVE) this.#prune(at);
  }

  land(id: MessageId): void {
    if (this.#travelling.take(id)?.known === true) this.#landed.push(id);
  }

  lost(at: Micros, id: MessageId, why: Lost): void {
    const flight = this.#travelling.get(id);
    if (flight === undefined) return;
    const { sentAt, event } = flight;
    const { arrivesAt } = event;
    // What is lost on arrival has been seen to travel; what is taken from its way is shown as lost where it was.
    if (why === "receiver-down" || why === "closed" || arrivesAt === null || arrivesAt <= at) return this.land(id);
    const gone = { ...event, lost: why, arrivesAt: sentAt + 2 * (at - sentAt) + LOST_LINGERS };
    this.#change(flight, { heldAt: null, event: gone });
  }

  /** It stays where it is until it is released. */
  stopped(at: Micros, id: MessageId): void {
    const flight = this.#travelling.get(id);
    if (flight !== undefined) this.#change(flight, { heldAt: at });
  }

  /** It goes on from where it stood, as if it had been sent so long ago that it is there now. */
  released(at: Micros, id: MessageId, arrivesAt: Micros): void {
    const flight = this.#travelling.get(id);
    if (flight === undefined) return;
    const { sentAt, heldAt, event } = flight;
    const way = event.arrivesAt === null ? 0 : ((heldAt ?? at) - sentAt) / (event.arrivesAt - sentAt);
    const gone = way >= 1 ? 0 : Math.floor((way / (1 - way)) * (arrivesAt - at));
    this.#change(flight, { sentAt: at - gone, heldAt: null, event: { ...event, arrivesAt } });
  }

  all(at: Micros): Flight[] {
    this.#prune(at);
    return this.#travelling.values().map((flight) => this.#describe(flight));
  }

  /** What came and went since the last call. */
  takeChanges(at: Micros): { readonly flights: Flight[]; readonly landed: MessageId[] } {
    this.#prune(at);
    const flights: Flight[] = [];
    for (const flight of this.#travelling.values()) {
      if (!flight.changed) continue;
      flight.known = true;
      flight.changed = false;
      flights.push(this.#describe(flight));
    }
    const landed = this.#landed;
    this.#landed = [];
    return { flights, landed };
  }

  state(): readonly Travelling[] {
    return this.#travelling.values().map(({ from, sentAt, heldAt, event }) => ({ from, sentAt, heldAt, event }));
  }

  #describe({ from, sentAt, heldAt, event }: Travelling): Flight {
    const { message: id, to, arrivesAt, lost, copyOf, body, segment } = event;
    const described =
      segment === null
        ? describeMessage(body as Message | ServiceMessage, this.#describeData)
        : describeSegment(segment, this.#describeData);
    return { id, from, to, sentAt, arrivesAt, heldAt, lost, copyOf, ...described };
  }

  #change(flight: Kept, change: Partial<Travelling>): void {
    this.#travelling.replace(flight.event.message, { ...flight, ...change, changed: true });
  }

  /** A lost message is drawn until half way. */
  #prune(at: Micros): void {
    for (const { sentAt, event } of this.#travelling.values()) {
      const { message, lost, arrivesAt } = event;
      if (lost !== null && arrivesAt !== null && at >= (sentAt + arrivesAt) / 2) this.land(message);
    }
  }
}
