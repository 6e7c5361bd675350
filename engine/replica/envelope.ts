/** What the log carries for the machine: a command, and which member's client asked for it, so that member can answer. */
import { ByteReader, ByteWriter } from "../base/bytes.ts";
import type { NodeId } from "../raft/types.ts";

export interface Envelope {
  readonly origin: NodeId;
  readonly incarnation: number;
  /** Counts the requests of one incarnation of one member. */
  readonly serial: number;
  readonly command: Uint8Array;
}

/** Empty between calls. */
const out = new ByteWriter();

export function encodeEnvelope({ origin, incarnation, serial, command }: Envelope): Uint8Array {
  out.text(origin);
  out.varint(incarnation);
  out.varint(serial);
  out.raw(command);
  return out.take();
}

let dataBefore: Uint8Array = new Uint8Array();
let envelopeBefore: Envelope | null = null;

/**
 * The last one is remembered: in one thread all members share an entry's bytes, and each reads them when it appends the
 * entry and when it applies it. What a log holds never changes.
 */
export function decodeEnvelope(data: Uint8Array): Envelope {
  if (data === dataBefore && envelopeBefore !== null) return envelopeBefore;
  const reader = new ByteReader(data);
  const origin = reader.text() as NodeId;
  const incarnation = reader.varint();
  const serial = reader.varint();
  const envelope = { origin, incarnation, serial, command: reader.raw(reader.left) };
  dataBefore = data;
  envelopeBefore = envelope;
  return envelope;
}

/** Names a request in the record. */
export function requestKey({ origin, incarnation, serial }: Omit<Envelope, "command">): string {
  return `${origin}/${incarnation}/${serial}`;
}
