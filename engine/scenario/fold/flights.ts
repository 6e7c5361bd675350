/** Messages on their way. Each is kept as the trace told of it, and described only if a picture is taken while it travels. */
import type { Micros } from "../../base/units.ts";
import type { Message } from "../../raft/types.ts";
import type { ServiceMessage } from "../../replica/replica.ts";
import type { MessageId, ProcessId } from "../../sim/command.ts";
import type { Lost, Segment, TraceEvent, WorldEvent } from "../../sim/events.ts";
import type { Flight } from "../../trace/view.ts";
import { type DescribeData, describeMessage, describeSegment } from "./describe.ts";

export interface Travelling {
  readonly id: MessageId;
  readonly from: ProcessId;
  readonly to: ProcessId;
  readonly sentAt: Micros;
  readonly arrivesAt: Micros | null;
  readonly heldAt: Micros | null;
  readonly lost: Lost | null;
  readonly copyOf: MessageId | null;
  readonly body: unknown;
  readonly segment: Segment | null;
}

/** How long a message that was taken from its way is still shown there. */
const LOST_LINGERS: Micros = 10_000;
/** Lost messages are looked through when there are more than this, though no picture was taken. */
const PRUNED_ABOVE = 10_000;

export class Flights {
  readonly #travelling = new Map<MessageId, Travelling>();
  readonly #changed = new Set<MessageId>();
  #landed: MessageId[] = [];

  readonly #describeData: DescribeData;

  constructor(describeData: DescribeData, travelling: readonly Travelling[] = []) {
    this.#describeData = describeData;
    for (const flight of travelling) this.#travelling.set(flight.id, flight);
  }

  sent({ process, at }: TraceEvent, event: WorldEvent & { type: "sent" }): void {
    const { message: id, to, arrivesAt, lost, copyOf, body, segment } = event;
    const from = process as ProcessId;
    const heldAt = arrivesAt === null ? at : null;
    this.#travelling.set(id, { id, from, to, sentAt: at, arrivesAt, heldAt, lost, copyOf, body, segment });
    this.#changed.add(id);
    if (lost !== null && this.#travelling.size > PRUNED_ABOVE) this.#prune(at);
  }

  land(id: MessageId): void {
    if (!this.#travelling.delete(id)) return;
    if (!this.#changed.delete(id)) this.#landed.push(id);
  }

  lost(at: Micros, id: MessageId, why: Lost): void {
    const flight = this.#travelling.get(id);
    if (flight === undefined) return;
    const { sentAt, arrivesAt } = flight;
    // What is lost on arrival has been seen to travel; what is taken from its way is shown as lost where it was.
    if (why === "receiver-down" || why === "closed" || arrivesAt === null || arrivesAt <= at) return this.land(id);
    this.#change(flight, { lost: why, heldAt: null, arrivesAt: sentAt + 2 * (at - sentAt) + LOST_LINGERS });
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
    const { sentAt, heldAt } = flight;
    const way = flight.arrivesAt === null ? 0 : ((heldAt ?? at) - sentAt) / (flight.arrivesAt - sentAt);
    const gone = way >= 1 ? 0 : Math.floor((way / (1 - way)) * (arrivesAt - at));
    this.#change(flight, { sentAt: at - gone, arrivesAt, heldAt: null });
  }

  all(at: Micros): Flight[] {
    this.#prune(at);
    return [...this.#travelling.values()].map((flight) => this.#describe(flight));
  }

  /** What came and went since the last call. */
  takeChanges(at: Micros): { readonly flights: Flight[]; readonly landed: MessageId[] } {
    this.#prune(at);
    const flights = [...this.#changed].map((id) => this.#describe(this.#travelling.get(id) as Travelling));
    const landed = this.#landed;
    this.#changed.clear();
    this.#landed = [];
    return { flights, landed };
  }

  state(): readonly Travelling[] {
    return [...this.#travelling.values()];
  }

  #describe(flight: Travelling): Flight {
    const { id, from, to, sentAt, arrivesAt, heldAt, lost, copyOf, body, segment } = flight;
    const described =
      segment === null
        ? describeMessage(body as Message | ServiceMessage, this.#describeData)
        : describeSegment(segment, this.#describeData);
    return { id, from, to, sentAt, arrivesAt, heldAt, lost, copyOf, ...described };
  }

  #change(flight: Travelling, change: Partial<Travelling>): void {
    this.#travelling.set(flight.id, { ...flight, ...change });
    this.#changed.add(flight.id);
  }

  /** A lost message is drawn until half way. */
  #prune(at: Micros): void {
    for (const { id, lost, sentAt, arrivesAt } of this.#travelling.values()) {
      if (lost !== null && arrivesAt !== null && at >= (sentAt + arrivesAt) / 2) this.land(id);
    }
  }
}
