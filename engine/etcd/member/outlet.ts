/**
 * What goes out on one stream of watches, and what waits there while its client takes nothing up (etcd's watchStream
 * channel over gRPC's flow control).
 *
 * As long as the window is open responses go straight out. Then they wait, up to 128 of them (etcd's chanBufLen); beyond
 * that the stream takes no more, and whoever had something for it keeps it. So a client that is paused or cut off costs a
 * bounded amount of memory, however much changes.
 */
import { WINDOW_BYTES, watchBytes } from "../api/flow.ts";
import type { WatchResponse } from "../api/messages.ts";

const WAITING_MAX = 128;

export interface OutletCheckpoint {
  readonly inFlight: number;
  readonly waiting: readonly WatchResponse[];
}

export class Outlet {
  readonly #send: (response: WatchResponse) => void;
  /** Bytes that were sent and not taken up. */
  #inFlight = 0;
  #waiting: WatchResponse[] = [];
  /** Of responses that were promised room and have not come yet. */
  #promised = 0;
  #promisedBytes = 0;

  constructor(send: (response: WatchResponse) => void, saved: OutletCheckpoint | null = null) {
    this.#send = send;
    if (saved === null) return;
    this.#inFlight = saved.inFlight;
    this.#waiting = [...saved.waiting];
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Promises room for a response, which must then come; false when there is none. */
  takes(response: WatchResponse): boolean {
    const isOpen = this.#waiting.length === 0 && this.#inFlight + this.#promisedBytes < WINDOW_BYTES;
    if (!isOpen && this.#waiting.length + this.#promised >= WAITING_MAX) return false;
    this.#promised += 1;
    this.#promisedBytes += watchBytes(response);
    return true;
  }

  /** One for which room was promised, or an answer to a request, which is never turned away. */
  put(response: WatchResponse): void {
    this.#promised = Math.max(0, this.#promised - 1);
    this.#promisedBytes = Math.max(0, this.#promisedBytes - watchBytes(response));
    this.#waiting.push(response);
    this.#flow();
  }

  /** The client has taken up so much. */
  gaveBack(bytes: number): void {
    this.#inFlight = Math.max(0, this.#inFlight - bytes);
    this.#flow();
  }

  checkpoint(): OutletCheckpoint {
    return { inFlight: this.#inFlight, waiting: [...this.#waiting] };
  }

  #flow(): void {
    let sent = 0;
    for (const response of this.#waiting) {
      if (this.#inFlight >= WINDOW_BYTES) break;
      this.#inFlight += watchBytes(response);
      sent += 1;
      this.#send(response);
    }
    this.#waiting.splice(0, sent);
  }
}
