/**
 * A change of membership as data, and the bytes that carry it in an entry.
 *
 * etcd has two forms: the old one holds one operation, the new one any number and a transition (thesis §4.1, §4.3).
 * The bytes are the protobuf encoding of etcd's ConfChange and ConfChangeV2, so that sizes agree with etcd's for
 * hexadecimal ids; any other id travels as a string in the same field, which protobuf's wire types keep apart.
 * What a change does to a membership is in `configuration.ts`.
 */
import type { EntryType, NodeId, Proposal } from "./types.ts";
import { NO_DATA, nodeId } from "./types.ts";

/** `update` changes nothing that raft knows; etcd carries addresses with it. */
export type ConfOperation = "add-voter" | "remove" | "update" | "add-learner";

/** ConfChangeSingle. */
export interface ConfStep {
  readonly operation: ConfOperation;
  readonly id: NodeId;
}

/** `auto` goes through a joint configuration only if it must; the other two always do, and leave by themselves or not. */
export type Transition = "auto" | "implicit" | "explicit";

/** ConfChangeV2; an old-style change is one with a single step and `auto`. */
export interface ConfChange {
  readonly transition: Transition;
  readonly steps: readonly ConfStep[];
  /** For the application; raft does not look into it. */
  readonly context: Uint8Array;
}

/** An id that no member has. */
const NOBODY = "0" as NodeId;
const OPERATIONS: readonly ConfOperation[] = ["add-voter", "remove", "update", "add-learner"];
const TRANSITIONS: readonly Transition[] = ["auto", "implicit", "explicit"];

/** An empty change asks to leave a joint configuration, and is nothing else (thesis §4.3). */
export function leavesJoint(change: ConfChange): boolean {
  return change.steps.length === 0 && change.transition === "auto";
}

/** The change as the application applies it when it refuses its steps: they name nobody (etcd sets their ids to 0). */
export function withoutSteps(change: ConfChange): ConfChange {
  return { ...change, steps: change.steps.map((step) => ({ ...step, id: NOBODY })) };
}

/** Whether nobody would be left to vote. */
export function leavesNoVoter(voters: readonly NodeId[], { steps }: ConfChange): boolean {
  const left = new Set(voters);
  for (const { operation, id } of steps) {
    if (operation === "add-voter") left.add(id);
    else if (operation !== "update") left.delete(id);
  }
  return left.size === 0;
}

/** Whether the change goes through a joint configuration: it is asked to, or one step at a time would not be safe. */
export function entersJoint(change: ConfChange): boolean {
  return change.transition !== "auto" || change.steps.length > 1;
}

/** The bytes could not be read as a change of membership. */
export class ConfChangeMalformed extends Error {
  override readonly name = "ConfChangeMalformed";
}

/** The proposal that carries a change in etcd's new form, or in its old one, which holds exactly one step. */
export function confChangeProposal(
  change: ConfChange,
  form: "conf-change" | "conf-change-v2" = "conf-change-v2",
): Proposal {
  if (form === "conf-change-v2") return { type: form, data: encodeV2(change) };
  const step = change.steps[0];
  if (step === undefined || change.steps.length > 1 || change.transition !== "auto")
    throw new ConfChangeMalformed("an old-style change holds one step and no transition");
  return { type: form, data: encodeV1(step, change.context) };
}

/** Reads the change out of an entry's data; no data at all is the change that leaves a joint configuration. */
export function decodeConfChange(type: EntryType, data: Uint8Array): ConfChange {
  if (type === "conf-change") return decodeV1(data);
  if (type === "conf-change-v2") return decodeV2(data);
  throw new ConfChangeMalformed(`an entry of type ${type} holds no change of membership`);
}

function encodeV1(step: ConfStep, context: Uint8Array): Uint8Array {
  const out: number[] = [0x10, OPERATIONS.indexOf(step.operation)];
  putId(out, 3, step.id);
  if (context.length > 0) putBytes(out, 4, context);
  return Uint8Array.from(out);
}

function encodeV2(change: ConfChange): Uint8Array {
  const out: number[] = [0x08, TRANSITIONS.indexOf(change.transition)];
  for (const step of change.steps) {
    const inner: number[] = [0x08, OPERATIONS.indexOf(step.operation)];
    putId(inner, 2, step.id);
    putBytes(out, 2, inner);
  }
  if (change.context.length > 0) putBytes(out, 3, change.context);
  return Uint8Array.from(out);
}

function decodeV1(data: Uint8Array): ConfChange {
  let operation: ConfOperation = "add-voter";
  let id: NodeId | null = null;
  let context: Uint8Array = NO_DATA;
  readFields(data, (field, value) => {
    if (field === 2) operation = pick(OPERATIONS, value);
    if (field === 3) id = idOf(value);
    if (field === 4) context = bytesOf(value);
  });
  if (id === null) throw new ConfChangeMalformed("an old-style change names no member");
  return { transition: "auto", steps: [{ operation, id }], context };
}

function decodeV2(data: Uint8Array): ConfChange {
  let transition: Transition = "auto";
  const steps: ConfStep[] = [];
  let context: Uint8Array = NO_DATA;
  readFields(data, (field, value) => {
    if (field === 1) transition = pick(TRANSITIONS, value);
    if (field === 2) steps.push(decodeStep(bytesOf(value)));
    if (field === 3) context = bytesOf(value);
  });
  return { transition, steps, context };
}

function decodeStep(data: Uint8Array): ConfStep {
  let operation: ConfOperation = "add-voter";
  let id: NodeId | null = null;
  readFields(data, (field, value) => {
    if (field === 1) operation = pick(OPERATIONS, value);
    if (field === 2) id = idOf(value);
  });
  if (id === null) throw new ConfChangeMalformed("a step names no member");
  return { operation, id };
}

// Protobuf's wire format, as far as it is needed: varints (wire type 0) and byte strings (wire type 2).

const CANONICAL_HEX = /^[1-9a-f][0-9a-f]{0,15}$/;

function putVarint(out: number[], value: bigint): void {
  let rest = value;
  while (rest >= 0x80n) {
    out.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  out.push(Number(rest));
}

function putBytes(out: number[], field: number, bytes: ArrayLike<number>): void {
  out.push((field << 3) | 2);
  putVarint(out, BigInt(bytes.length));
  for (let i = 0; i < bytes.length; i += 1) out.push(bytes[i] ?? 0);
}

function putId(out: number[], field: number, id: NodeId): void {
  if (id === "0" || CANONICAL_HEX.test(id)) {
    out.push(field << 3);
    putVarint(out, BigInt(`0x${id}`));
    return;
  }
  const units: number[] = [];
  for (let i = 0; i < id.length; i += 1) units.push(id.charCodeAt(i) >> 8, id.charCodeAt(i) & 0xff);
  putBytes(out, field, units);
}

type FieldValue = bigint | Uint8Array;

function readFields(data: Uint8Array, visit: (field: number, value: FieldValue) => void): void {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = data[at];
      if (byte === undefined) throw new ConfChangeMalformed("the bytes end inside a number");
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new ConfChangeMalformed("a number is longer than ten bytes");
  };
  while (at < data.length) {
    const key = Number(varint());
    if ((key & 7) === 0) visit(key >> 3, varint());
    else if ((key & 7) === 2) {
      const length = Number(varint());
      if (length > data.length - at) throw new ConfChangeMalformed("the bytes end inside a field");
      visit(key >> 3, data.subarray(at, at + length));
      at += length;
    } else throw new ConfChangeMalformed(`wire type ${key & 7} is not used here`);
  }
}

function pick<T>(names: readonly T[], value: FieldValue): T {
  const name = typeof value === "bigint" ? names[Number(value)] : undefined;
  if (name === undefined) throw new ConfChangeMalformed("an unknown operation or transition");
  return name;
}

function bytesOf(value: FieldValue): Uint8Array {
  if (typeof value === "bigint") throw new ConfChangeMalformed("a number where bytes belong");
  return value;
}

function idOf(value: FieldValue): NodeId {
  if (typeof value === "bigint") return nodeId(value.toString(16));
  let id = "";
  for (let i = 0; i + 1 < value.length; i += 2) id += String.fromCharCode(((value[i] ?? 0) << 8) | (value[i + 1] ?? 0));
  if (id === "") throw new ConfChangeMalformed("a member without a name");
  return nodeId(id);
}
