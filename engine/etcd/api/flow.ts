/**
 * The window of a stream, as HTTP/2 has it below gRPC: who sends may have so many bytes on their way that the receiver has
 * not yet taken up; the receiver gives the room back as its program takes messages. Only streams of watches are windowed:
 * they alone send more than they were asked for.
 *
 * Messages are plain data here, so a size is reckoned, alike at both ends.
 */
import type { Event, KeyValue, WatchResponse } from "./messages.ts";

/** HTTP/2's initial window. */
export const WINDOW_BYTES = 65_535;
/** Room is given back once a quarter of the window has been taken up, as gRPC does. */
export const GIVE_BACK_BYTES = Math.floor(WINDOW_BYTES / 4);

const HEAD_BYTES = 40;

/** About as many bytes as its protobuf has. */
export function watchBytes({ events }: Pick<WatchResponse, "events">): number {
  return events.reduce((sum, event) => sum + eventBytes(event), HEAD_BYTES);
}

export function eventBytes({ kv, prevKv }: Pick<Event, "kv" | "prevKv">): number {
  return pairBytes(kv) + pairBytes(prevKv);
}

function pairBytes(pair: KeyValue | null): number {
  return pair === null ? 0 : pair.key.length + pair.value.length + HEAD_BYTES;
}
