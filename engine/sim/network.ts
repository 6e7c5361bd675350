/**
 * The links between processes: how long a message travels, whether it arrives, what is cut.
 *
 * A link is one direction. Each has a generator of its own, so that traffic on one never changes the luck of another.
 * Datagrams on a link keep their order unless the link may reorder; a cut loses what is on the link. Connections ride
 * on the same links with TCP's promise: nothing is lost or overtaken while both ends live; a cut makes it wait.
 */
import { type Rng, rngFor, rngFromState, type RngState } from "../base/rng.ts";
import { MS, type Micros } from "../base/units.ts";
import { type LinkQuality, linkKey, type ProcessId } from "./command.ts";

/** What TCP waits before it sends a lost segment again (RFC 6298's lower bound is 1 s; Linux uses 200 ms). */
export const RETRANSMIT_AFTER: Micros = 200 * MS;

export class Link {
  readonly from: ProcessId;
  readonly to: ProcessId;
  readonly rng: Rng;
  quality: LinkQuality;
  cut = false;
  /** The latest arrival so far: what keeps order arrives after it. */
  lastArrival: Micros = 0;

  constructor(from: ProcessId, to: ProcessId, quality: LinkQuality, rng: Rng) {
    this.from = from;
    this.to = to;
    this.quality = quality;
    this.rng = rng;
  }

  latency(): Micros {
    return this.rng.between(this.quality.latencyMin, this.quality.latencyMax);
  }

  /** When a datagram sent now arrives. */
  arrival(now: Micros): Micros {
    const at = now + this.latency();
    if (this.rng.chance(this.quality.reorderPerMillion)) return at;
    this.lastArrival = at > this.lastArrival ? at : this.lastArrival + 1;
    return this.lastArrival;
  }
}

export interface LinkState {
  readonly from: ProcessId;
  readonly to: ProcessId;
  readonly quality: LinkQuality;
  readonly cut: boolean;
  readonly lastArrival: Micros;
  readonly rng: RngState;
}

export interface NetworkState {
  readonly links: readonly LinkState[];
  readonly quality: LinkQuality;
}

export class Network {
  readonly #seed: number;
  readonly #links = new Map<string, Link>();
  /** What links get that are not there yet. */
  quality: LinkQuality;

  constructor(seed: number, quality: LinkQuality, state: NetworkState | null = null) {
    this.#seed = seed;
    this.quality = state?.quality ?? quality;
    for (const link of state?.links ?? []) {
      const made = new Link(link.from, link.to, link.quality, rngFromState(link.rng));
      made.cut = link.cut;
      made.lastArrival = link.lastArrival;
      this.#links.set(linkKey(link), made);
    }
  }

  link(from: ProcessId, to: ProcessId): Link {
    const key = `${from}>${to}`;
    const known = this.#links.get(key);
    if (known !== undefined) return known;
    const made = new Link(from, to, this.quality, rngFor(this.#seed, `link/${key}`));
    this.#links.set(key, made);
    return made;
  }

  all(): IterableIterator<Link> {
    return this.#links.values();
  }

  state(): NetworkState {
    return {
      quality: this.quality,
      links: [...this.#links.values()].map((link) => ({
        from: link.from,
        to: link.to,
        quality: link.quality,
        cut: link.cut,
        lastArrival: link.lastArrival,
        rng: link.rng.state(),
      })),
    };
  }
}
