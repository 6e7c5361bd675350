/**
 * The hash of a trace: equal when every event is equal, whoever ran the world.
 *
 * 64 bits in two lanes over a walk of each event: strings, numbers, bytes, in order. Names of fields are not in it: they
 * follow from the event's type and are our own code's, the same on every machine. Not for security. What a browser words
 * in its own way (an error's stack) is left out.
 */
import type { Micros } from "../base/units.ts";
import type { TraceEvent, WorldEvent } from "../sim/events.ts";

/** The two lanes, and the moment of the last event. */
export type TraceHashState = readonly [number, number, Micros];

export class TraceHash {
  #a: number;
  #b: number;
  /** Those of one round happen at the same moment, which is mixed in once. */
  #at: Micros;
  /** Whose event was the last, in which of its lives, and a word for both: several of one process follow each other. */
  #process: string | null = null;
  #incarnation = 0;
  #who = wordFor(null, 0);

  constructor([a, b, at]: TraceHashState = [0x243f6a88, 0x13198a2e, -1]) {
    this.#a = a;
    this.#b = b;
    this.#at = at;
  }

  add({ id, cause, at, process, incarnation, event }: TraceEvent): void {
    if (process !== this.#process || incarnation !== this.#incarnation) {
      this.#process = process;
      this.#incarnation = incarnation;
      this.#who = wordFor(process, incarnation);
    }
    // An event's id is its place in the trace: what is left to say is how far back its cause lies.
    let h = this.#a ^ this.#who;
    if (at === this.#at) h = mix(h, (id - cause) | 0);
    else {
      h = mixNumber(mix(h, ~(id - cause)), at);
      this.#at = at;
    }
    this.#a = mixEvent(h, event as FrequentEvent, process);
    this.#b = mix(this.#b, this.#a);
  }

  state(): TraceHashState {
    return [this.#a, this.#b, this.#at];
  }

  /** Sixteen hexadecimal digits. */
  digits(): string {
    const hex = (word: number): string => (word >>> 0).toString(16).padStart(8, "0");
    return hex(this.#a) + hex(this.#b);
  }
}

function wordFor(process: string | null, incarnation: number): number {
  return process === null ? incarnation : wordOf(process) ^ Math.imul(incarnation, 0x85ebca6b);
}

/**
 * One 32-bit word. The state is a chain of many, so that a multiplication, which carries each bit to those above it, and
 * a turn, which brings the uppermost down, are mixing enough.
 */
function mix(hash: number, word: number): number {
  const h = Math.imul(hash ^ word, 0x9e3779b1);
  return (h << 13) | (h >>> 19);
}

/** Says of what kind the next word is, which costs no word of its own: words are mostly small, and this is not. */
function kind(hash: number, of: number): number {
  return hash ^ Math.imul(of, 0xc2b2ae35);
}

const HIGH = 2 ** -32;

/** A whole number: one word where 32 bits hold it, and else one for those, which `|` takes of any number, and the rest. */
function mixNumber(hash: number, value: number): number {
  const low = value | 0;
  return low === value ? mix(hash, low) : mix(mix(kind(hash, 5), low), Math.floor(value * HIGH));
}

/** Two at once: where both are small, the second is multiplied beside the first, which takes no longer than one. */
function mixNumbers(hash: number, first: number, second: number): number {
  const [a, b] = [first | 0, second | 0];
  if (a !== first || b !== second) return mixNumber(mixNumber(kind(hash, 6), first), second);
  return mix(hash ^ Math.imul(b, 0x85ebca6b), a);
}

function mixText(hash: number, text: string): number {
  return mix(hash, wordOf(text));
}

/** The last texts by the end of their length, and their words. */
const texts: string[] = Array.from({ length: 8 }, () => "");
const words: number[] = texts.map(() => 0);

/** Names of processes have two or three characters, which are a word; of others each two characters are mixed as one. */
function wordOf(text: string): number {
  const { length } = text;
  if (length === 2 || length === 3) {
    const last = length === 3 ? text.charCodeAt(2) : 0;
    return text.charCodeAt(0) | (text.charCodeAt(1) << 10) | (last << 20) | (length << 30);
  }
  // What one member says of an entry, the others say, too; and a file has the same name all the time.
  const place = length & 7;
  if (length > 0 && text === texts[place]) return words[place] as number;
  const even = length & ~1;
  let h = mix(5, length);
  for (let i = 0; i < even; i += 2) h = mix(h, text.charCodeAt(i) | (text.charCodeAt(i + 1) << 16));
  if (even < length) h = mix(h, text.charCodeAt(even));
  texts[place] = text;
  words[place] = h;
  return h;
}

/** One of a few fixed names, no two of which begin and are as long alike. */
function wordOfName(name: string): number {
  return name.length | (name.charCodeAt(0) << 8);
}

interface Id {
  readonly term: number;
  readonly index: number;
}

/** What a member's replica says at every write; the shapes are those of `replica/events.ts`, which lies above. */
type FrequentEvent =
  | WorldEvent
  | { readonly type: "timer-set"; readonly timer: string; readonly firesIn: number }
  | {
      readonly type: "persist-begun";
      readonly hardState: { readonly term: number; readonly vote: string | null; readonly commit: number } | null;
      readonly entries: { readonly first: Id; readonly last: Id } | null;
      readonly snapshot: Id | null;
    }
  | { readonly type: "match-advanced"; readonly peer: string; readonly match: number; readonly next: number }
  | {
      readonly type: "stable-advanced" | "commit-advanced" | "apply-handed-out" | "applied";
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly type: "command-applied";
      readonly index: number;
      readonly label: string;
      readonly summary: string | null;
    }
  | { readonly type: "entries-shown"; readonly entries: readonly EntryShown[] };

interface EntryShown extends Id {
  readonly type: string;
  readonly label: string;
  readonly request: string | null;
}

/** The most frequent events by name, which is three times as fast as by walking through them. */
function mixEvent(hash: number, event: FrequentEvent, process: string | null): number {
  switch (event.type) {
    case "delivered":
      return mixText(mixNumber(kind(hash, 8), event.message), event.from);
    case "sent": {
      const { message, to, arrivesAt, lost, copyOf, body, segment } = event;
      let h = mixNumber(mixText(mixNumber(kind(hash, 9), message), to), arrivesAt ?? -1);
      if (lost !== null || copyOf !== null) h = mixNumber(mixTextOrNull(kind(h, 3), lost), copyOf ?? -1);
      if (segment !== null) h = mixFields(h, segment);
      return body === null ? mix(h, 4) : mixBody(h, body as FrequentBody, process, to);
    }
    case "timer-set":
      return mixNumbers(kind(hash, 14), wordOfName(event.timer), event.firesIn);
    case "wrote":
      return mixText(mixNumber(kind(hash, 10), event.bytes), event.file);
    case "persist-begun": {
      const { hardState, entries, snapshot } = event;
      // Which of them are there has a word: without it the figures of one could stand for those of another.
      let h = mix(
        kind(hash, 15),
        (hardState === null ? 0 : 1) | (entries === null ? 0 : 2) | (snapshot === null ? 0 : 4),
      );
      if (hardState !== null) h = mixTextOrNull(mixNumbers(h, hardState.term, hardState.commit), hardState.vote);
      if (entries !== null) h = mixId(mixId(h, entries.first), entries.last);
      return snapshot === null ? h : mixId(h, snapshot);
    }
    case "sync-began":
      return mixNumbers(kind(hash, 11), event.token, event.endsAt);
    case "synced":
      return mixNumber(kind(hash, 12), event.token);
    case "entries-shown": {
      let h = mix(kind(hash, 16), event.entries.length);
      for (const entry of event.entries)
        h = mixTextOrNull(mixText(mix(mixId(h, entry), wordOfName(entry.type)), entry.label), entry.request);
      return h;
    }
    case "match-advanced":
      return mixText(mixNumbers(kind(hash, 17), event.match, event.next), event.peer);
    case "stable-advanced":
    case "commit-advanced":
    case "apply-handed-out":
    case "applied": {
      const { type, from, to } = event;
      return mixNumbers(kind(hash, (type.charCodeAt(1) << 8) | type.length), from, to);
    }
    case "command-applied":
      return mixTextOrNull(mixText(mixNumber(kind(hash, 22), event.index), event.label), event.summary);
    case "woke":
      return mix(hash, 13);
    default:
      return mixFields(hash, event);
  }
}

interface Envelope {
  readonly from: string;
  readonly to: string;
  readonly term: number;
}

/** Raft's messages of every write, of the shapes of `raft/types.ts`. */
type FrequentBody = Envelope &
  (
    | {
        readonly type: "AppendEntries";
        readonly prev: Id;
        readonly entries: readonly (Id & {
          readonly type: string;
          readonly data: Uint8Array;
          readonly refused?: true;
        })[];
        readonly leaderCommit: number;
      }
    | { readonly type: "AppendEntriesReply"; readonly rejected: boolean; readonly index: number; readonly hint: Id }
    | { readonly type: "Heartbeat"; readonly leaderCommit: number; readonly context: string | null }
    | { readonly type: "HeartbeatReply"; readonly context: string | null }
  );

/** From whom and to whom a message says that it is: all but always by whom and to whom it is sent. */
function mixEnvelope(hash: number, { from, to, term }: Envelope, sender: string | null, receiver: string): number {
  const h = from === sender && to === receiver ? hash : mixText(mixText(kind(hash, 28), from), to);
  return mixNumber(h, term);
}

function mixBody(hash: number, body: FrequentBody, sender: string | null, receiver: string): number {
  switch (body.type) {
    case "AppendEntries": {
      let h = mixId(mixEnvelope(kind(hash, 23), body, sender, receiver), body.prev);
      h = mixNumbers(h, body.leaderCommit, body.entries.length);
      for (const entry of body.entries) {
        h = mixNumbers(mixId(h, entry), wordOfName(entry.type), entry.refused === true ? 1 : 2);
        h = mixNumbers(h, entry.data.length, hashOfBytes(entry.data));
      }
      return h;
    }
    case "AppendEntriesReply": {
      const h = mixEnvelope(kind(hash, body.rejected ? 27 : 24), body, sender, receiver);
      return mixId(mixNumber(h, body.index), body.hint);
    }
    case "Heartbeat": {
      const h = mixEnvelope(kind(hash, 29), body, sender, receiver);
      return mixTextOrNull(mixNumber(h, body.leaderCommit), body.context);
    }
    case "HeartbeatReply":
      return mixTextOrNull(mixEnvelope(kind(hash, 30), body, sender, receiver), body.context);
    default:
      return mixValue(hash, body);
  }
}

function mixId(hash: number, { term, index }: Id): number {
  return mixNumbers(hash, term, index);
}

function mixTextOrNull(hash: number, text: string | null): number {
  return text === null ? mix(hash, 4) : mixText(hash, text);
}

function mixFields(hash: number, value: object): number {
  let h = hash;
  const record = value as Record<string, unknown>;
  for (const key in record) {
    const field = record[key];
    // The two most frequent kinds stay in this loop: a call for each field is half of what hashing costs.
    if (typeof field === "number") h = mixNumber(h, field);
    else if (typeof field === "string") h = key === "stack" ? h : mixText(h, field);
    else h = mixValue(h, field);
  }
  return mix(h, 7);
}

function mixValue(hash: number, value: unknown): number {
  switch (typeof value) {
    case "number":
      return mixNumber(hash, value);
    case "string":
      return mixText(hash, value);
    case "boolean":
      return mix(hash, value ? 1 : 2);
    case "object":
      break;
    default:
      return mix(hash, 3);
  }
  if (value === null) return mix(hash, 4);
  if (Array.isArray(value)) {
    let h = mix(hash, value.length);
    for (const item of value) h = mixValue(h, item);
    return h;
  }
  if (value instanceof Uint8Array) return mixNumbers(hash, value.length, hashOfBytes(value));
  return mixFields(hash, value);
}

let bytesBefore: Uint8Array = new Uint8Array();
let hashBefore = 0;

/** A leader sends every follower the very same bytes: the last ones are remembered. What an event holds never changes. */
function hashOfBytes(bytes: Uint8Array): number {
  if (bytes === bytesBefore) return hashBefore;
  let h = 6;
  for (let i = 0; i < bytes.length; i += 1) h = Math.imul(h ^ (bytes[i] as number), 0x01000193);
  bytesBefore = bytes;
  hashBefore = h;
  return h;
}
