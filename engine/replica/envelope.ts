/** What the log carries for the service: a command, and which member's client asked for it, so that member can answer. */
import { ByteReader, ByteWriter } from "../base/bytes.ts";
import type { Entry, NodeId } from "../raft/types.ts";
import { Command } from "./command.ts";
import type { EntryShown, RequestKey } from "./events.ts";

/** Names a proposal for good. */
export interface Origin {
  readonly origin: NodeId;
  readonly incarnation: number;
  /** Counts the requests of one incarnation of one member. */
  readonly serial: number;
}

export interface Envelope extends Origin {
  readonly command: Command;
}

/** Empty between calls. */
const out = new ByteWriter();

export function encodeEnvelope({ origin, incarnation, serial }: Origin, command: Uint8Array): Uint8Array {
  out.text(origin);
  out.varint(incarnation);
  out.varint(serial);
  out.raw(command);
  return out.take();
}

export function decodeEnvelope(data: Uint8Array): Envelope {
  const reader = new ByteReader(data);
  const origin = reader.text() as NodeId;
  const incarnation = reader.varint();
  const serial = reader.varint();
  return { origin, incarnation, serial, command: new Command(reader.raw(reader.left)) };
}

interface Remembered {
  readonly data: Uint8Array;
  readonly envelope: Envelope;
  /** The last entry with these bytes, as a picture of the log needs it. */
  shown: EntryShown | null;
}

/** As many as one batch may bring, so that the last member to apply it still finds what the first one read. */
const REMEMBERED = 512;
/** A long one is read again: what is remembered must not grow large. */
const LONG = 16_384;
const remembered = Array.from({ length: REMEMBERED }, (): Remembered | null => null);

/**
 * The envelope in an entry. The last ones are remembered: in one thread all members share an entry's bytes, and each
 * reads them when it appends the entry and when it applies it.
 */
export function envelopeOf(entry: Entry): Envelope {
  return recall(entry).envelope;
}

function recall({ index, data }: Entry): Remembered {
  const known = remembered[index % REMEMBERED];
  if (known?.data === data) return known;
  const read = { data, envelope: decodeEnvelope(data), shown: null };
  if (data.length <= LONG) remembered[index % REMEMBERED] = read;
  return read;
}

/** An entry as a picture of the log needs it: the very same object for all members that share its bytes. */
export function shownOf(entry: Entry, label: (command: Command) => string): EntryShown {
  const { term, index, type, data } = entry;
  if (type !== "normal" || data.length === 0) return { term, index, type, label: "", request: null };
  const known = recall(entry);
  const { shown, envelope } = known;
  if (shown?.index === index && shown.term === term) return shown;
  known.shown = { term, index, type, label: label(envelope.command), request: requestKey(envelope) };
  return known.shown;
}

/** Names a request in the record. */
export function requestKey({ origin, incarnation, serial }: Origin): RequestKey {
  return `${origin}/${incarnation}/${serial}`;
}
