/**
 * Protocol buffers, as far as etcd's messages need them: a message is described once, as a table of its fields, and
 * from that table come its type, its binary form (what the log and HashKV hold), and its JSON (etcd's gateway).
 *
 * In memory every field is there: a scalar that is left out has its zero value, as in proto3. A field that can be absent
 * (a message, or a member of a oneof) is null then. Bytes are byte strings; an int64 that is calculated with is a safe
 * integer; ids are decimal strings. (protobuf.dev/programming-guides/encoding)
 */
import { ByteReader, ByteWriter, MalformedBytes, utf8Decode, utf8Encode } from "../../base/bytes.ts";
import { type Bytes, fromArray } from "./bytes.ts";

interface Kinds {
  bytes: Bytes;
  string: string;
  bool: boolean;
  /** A safe integer; signed. */
  int: number;
  /** At most 32 bits: JSON has it as a number, not as a string. */
  uint32: number;
  /** A decimal string; signed. */
  int64: string;
  /** A decimal string. */
  uint64: string;
}

export interface Field<T = unknown> {
  readonly number: number;
  readonly kind: keyof Kinds | "enum" | "message";
  /** The names of an enum's values, each at its number. */
  readonly names: readonly string[] | null;
  readonly message: (() => Descriptor) | null;
  readonly repeated: boolean;
  /** Null when absent, instead of zero. */
  readonly nullable: boolean;
  /** As the .proto file has it, when that is not the name in snake_case. */
  readonly protoName: string | null;
  /** Only in the type. */
  readonly is?: T;
}

export interface Descriptor<T = unknown> {
  readonly name: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** Only in the type. */
  readonly is?: T;
}

/** The value that a descriptor describes. */
export type Of<D> = D extends Descriptor<infer T> ? T : never;

type Valued<F> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** A message that holds itself needs its type said: `const TxnRequest: Descriptor<TxnRequest> = message(…)`. */
export function message<F extends Readonly<Record<string, Field>>>(name: string, fields: F): Descriptor<Valued<F>> {
  return { name, fields };
}

const field = (number: number, kind: Field["kind"], more: Partial<Field> = {}): Field<never> =>
  ({
    number,
    kind,
    names: null,
    message: null,
    repeated: false,
    nullable: false,
    protoName: null,
    ...more,
  }) as Field<never>;

export const bytes = (n: number): Field<Bytes> => field(n, "bytes");
export const string = (n: number): Field<string> => field(n, "string");
export const bool = (n: number): Field<boolean> => field(n, "bool");
export const int = (n: number): Field<number> => field(n, "int");
export const uint32 = (n: number): Field<number> => field(n, "uint32");
export const int64 = <T extends string>(n: number): Field<T> => field(n, "int64");
export const uint64 = <T extends string>(n: number): Field<T> => field(n, "uint64");
export const oneOf = <const N extends readonly string[]>(n: number, names: N): Field<N[number]> =>
  field(n, "enum", { names });
/** Null when absent. The function breaks circles. */
export const sub = <T>(n: number, of: () => Descriptor<T>): Field<T | null> =>
  field(n, "message", { message: of, nullable: true });
export const many = <T>(of: Field<T>): Field<readonly Exclude<T, null>[]> =>
  ({ ...of, repeated: true, nullable: false }) as Field<never>;
/** A scalar of a oneof: null when it is not the one. */
export const maybe = <T>(of: Field<T>): Field<T | null> => ({ ...of, nullable: true });
export const named = <T>(name: string, of: Field<T>): Field<T> => ({ ...of, protoName: name });

export function protoName(key: string, { protoName: given }: Field): string {
  return given ?? key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A message with the fields that are given; the others are zero. */
export function create<T>(of: Descriptor<T>, given: Partial<T> = {}): T {
  return { ...zero(of), ...given } as T;
}

const zeros = new WeakMap<Descriptor, object>();

function zero(of: Descriptor): object {
  const known = zeros.get(of);
  if (known !== undefined) return known;
  const made = Object.freeze(Object.fromEntries(Object.entries(of.fields).map(([key, f]) => [key, zeroOf(f)])));
  zeros.set(of, made);
  return made;
}

export function zeroOf(f: Field): unknown {
  if (f.repeated) return NONE;
  if (f.nullable) return null;
  switch (f.kind) {
    case "bytes":
    case "string":
      return "";
    case "bool":
      return false;
    case "int":
    case "uint32":
      return 0;
    case "int64":
    case "uint64":
      return "0";
    case "enum":
      return f.names?.[0];
    case "message":
      return null;
  }
}

const NONE: readonly never[] = Object.freeze([]);

// ── binary ──

const VARINT = 0;
const LENGTH_DELIMITED = 2;

/** The bytes of a message; zero fields are left out, fields stand in the order of their numbers, as Go's encoder has it. */
export function encode<T>(of: Descriptor<T>, value: T): Uint8Array {
  const out = writerAt(0);
  out.takeView();
  write(of, value as Readonly<Record<string, unknown>>, out, 0);
  return out.take();
}

/** One for each depth of messages in messages. What an encoding that threw left in one is thrown away by the next. */
const writers: ByteWriter[] = [];

function writerAt(depth: number): ByteWriter {
  let writer = writers[depth];
  if (writer === undefined) {
    writer = new ByteWriter();
    writers[depth] = writer;
  }
  return writer;
}

const orders = new WeakMap<Descriptor, readonly (readonly [string, Field])[]>();

function inOrder(of: Descriptor): readonly (readonly [string, Field])[] {
  const known = orders.get(of);
  if (known !== undefined) return known;
  const order = Object.entries(of.fields).sort(([, a], [, b]) => a.number - b.number);
  orders.set(of, order);
  return order;
}

function write(of: Descriptor, value: Readonly<Record<string, unknown>>, out: ByteWriter, depth: number): void {
  for (const [key, f] of inOrder(of)) {
    const item = value[key];
    if (!f.repeated) {
      if (f.nullable ? item !== null : item !== zeroOf(f)) writeField(f, item, out, depth);
    } else if (f.kind === "bytes" || f.kind === "string" || f.kind === "message") {
      for (const one of item as readonly unknown[]) writeField(f, one, out, depth);
    } else if ((item as readonly unknown[]).length > 0) {
      const packed = writerAt(depth + 1);
      packed.takeView();
      for (const one of item as readonly unknown[]) writeScalar(f, one, packed);
      out.varint(f.number * 8 + LENGTH_DELIMITED);
      out.bytes(packed.takeView());
    }
  }
}

function writeField(f: Field, value: unknown, out: ByteWriter, depth: number): void {
  switch (f.kind) {
    case "bytes":
      out.varint(f.number * 8 + LENGTH_DELIMITED);
      return out.byteString(value as Bytes);
    case "string":
      out.varint(f.number * 8 + LENGTH_DELIMITED);
      return out.bytes(utf8Encode(value as string));
    case "message": {
      const inner = writerAt(depth + 1);
      inner.takeView();
      write((f.message as () => Descriptor)(), value as Readonly<Record<string, unknown>>, inner, depth + 1);
      out.varint(f.number * 8 + LENGTH_DELIMITED);
      return out.bytes(inner.takeView());
    }
    default:
      out.varint(f.number * 8 + VARINT);
      writeScalar(f, value, out);
  }
}

function writeScalar(f: Field, value: unknown, out: ByteWriter): void {
  switch (f.kind) {
    case "bool":
      return out.varint(value === true ? 1 : 0);
    case "enum":
      return out.varint((f.names as readonly string[]).indexOf(value as string));
    case "uint32":
      return out.varint(value as number);
    case "int":
      if ((value as number) >= 0) return out.varint(value as number);
      return writeBig(BigInt(value as number), out);
    default:
      return writeBig(BigInt(value as string), out);
  }
}

/** Ten bytes when negative: two's complement of 64 bits. */
function writeBig(value: bigint, out: ByteWriter): void {
  let rest = BigInt.asUintN(64, value);
  while (rest >= 128n) {
    out.u8(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  out.u8(Number(rest));
}

const tables = new WeakMap<Descriptor, ReadonlyMap<number, readonly [string, Field]>>();

function byNumber(of: Descriptor): ReadonlyMap<number, readonly [string, Field]> {
  const known = tables.get(of);
  if (known !== undefined) return known;
  const table = new Map(Object.entries(of.fields).map(([key, f]) => [f.number, [key, f] as const]));
  tables.set(of, table);
  return table;
}

/** The message that bytes of our own say; fields that are not in the table are skipped. */
export function decode<T>(of: Descriptor<T>, data: Uint8Array): T {
  const value: Record<string, unknown> = { ...zero(of) };
  const table = byNumber(of);
  const reader = new ByteReader(data);
  while (reader.left > 0) {
    const tag = reader.varint();
    const known = table.get(Math.floor(tag / 8));
    if (tag % 8 === VARINT) {
      const raw = readBig(reader);
      if (known !== undefined) value[known[0]] = scalar(known[1], raw);
      continue;
    }
    const length = reader.varint();
    const part = reader.raw(length);
    if (known === undefined) continue;
    const [key, f] = known;
    if (!f.repeated) value[key] = delimited(f, part);
    else if (f.kind === "bytes" || f.kind === "string" || f.kind === "message")
      value[key] = [...(value[key] as readonly unknown[]), delimited(f, part)];
    else value[key] = unpack(f, part);
  }
  return value as T;
}

function delimited(f: Field, part: Uint8Array): unknown {
  if (f.kind === "bytes") return fromArray(part);
  if (f.kind === "string") return utf8Decode(part);
  return decode((f.message as () => Descriptor)(), part);
}

function unpack(f: Field, part: Uint8Array): readonly unknown[] {
  const reader = new ByteReader(part);
  const items: unknown[] = [];
  while (reader.left > 0) items.push(scalar(f, readBig(reader)));
  return items;
}

/** A number while it has at most seven groups of seven bits, which most have. */
function readBig(reader: ByteReader): number | bigint {
  let low = 0;
  for (let scale = 1; scale < 2 ** 49; scale *= 128) {
    const byte = reader.u8();
    low += (byte & 127) * scale;
    if (byte < 128) return low;
  }
  let big = BigInt(low);
  for (let shift = 49n; shift < 70n; shift += 7n) {
    const byte = reader.u8();
    big |= BigInt(byte & 127) << shift;
    if (byte < 128) return big;
  }
  throw new MalformedBytes("a varint is too long");
}

/** A number that no name has reads as `UNRECOGNIZED`, if the enum tells that apart, and else as the first name. */
export function enumName({ names }: Field, value: number): string {
  const known = names ?? [];
  return known[value] ?? (known.at(-1) === UNRECOGNIZED ? UNRECOGNIZED : (known[0] ?? ""));
}

export const UNRECOGNIZED = "UNRECOGNIZED";

function scalar(f: Field, raw: number | bigint): unknown {
  switch (f.kind) {
    case "bool":
      return raw !== 0;
    case "enum":
      return enumName(f, Number(raw));
    case "uint32":
      return Number(raw);
    case "int":
      return Number(BigInt.asIntN(64, BigInt(raw)));
    case "uint64":
      return String(raw);
    default:
      return typeof raw === "number" ? String(raw) : BigInt.asIntN(64, raw).toString();
  }
}
