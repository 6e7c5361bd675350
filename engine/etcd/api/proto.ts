/**
 * Protocol buffers, as far as etcd's messages need them: a message is described once, as a table of its fields, and
 * from that table come its type, its binary form (what the log and HashKV hold), and its JSON (etcd's gateway).
 *
 * In memory every field is there: a scalar that is left out has its zero value, as in proto3. A field that can be absent
 * (a message, or a member of a oneof) is null then. Bytes are byte strings; an int64 that is calculated with is a safe
 * integer; ids are decimal strings. (protobuf.dev/programming-guides/encoding)
 */
import { ByteReader, type ByteWriter, MalformedBytes, utf8Decode } from "../../base/bytes.ts";
import { NestedWriter } from "../../base/nested-writer.ts";
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
export function create<T>(of: Descriptor<T>, given: Partial<T> | null = null): T {
  const made = codingOf(of).make();
  for (const key in given) made[key] = given[key];
  return made as T;
}

/**
 * Makes new messages of one kind. Engines copy an object fast only if they made it as a plain record, which one that is
 * put together key by key is not once it has many: so it goes through JSON, where each zero but a list is the same. And
 * only where few kinds are copied: so there are several places that do it, for a few kinds each.
 */
function maker(of: Descriptor): () => Record<string, unknown> {
  const made = JSON.parse(
    JSON.stringify(Object.fromEntries(Object.entries(of.fields).map(([key, f]) => [key, zeroOf(f)]))),
  ) as Record<string, unknown>;
  for (const [key, f] of Object.entries(of.fields)) if (f.repeated) made[key] = NONE;
  makers += 1;
  const copy = COPIES[makers % COPIES.length] as (zero: Record<string, unknown>) => Record<string, unknown>;
  return () => copy(made);
}

let makers = 0;

/** The same at so many places of the program. */
const COPIES: readonly ((zero: Record<string, unknown>) => Record<string, unknown>)[] = [
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
  (zero) => ({ ...zero }),
];

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

/** A field with what its coding needs, worked out once. */
interface Coded {
  readonly key: string;
  readonly field: Field;
  readonly kind: Field["kind"];
  /** The number and how the value is laid out. */
  readonly tag: number;
  readonly zero: unknown;
  /** Several in one, one behind the other: numbers are. */
  readonly packed: boolean;
  readonly message: Descriptor | null;
}

interface Coding {
  /** In the order of their numbers, as Go's encoder has them. */
  readonly fields: readonly Coded[];
  readonly byNumber: ReadonlyMap<number, Coded>;
  readonly byKey: ReadonlyMap<string, Coded>;
  /** A message whose fields are all zero. */
  readonly make: () => Record<string, unknown>;
}

const codings = new WeakMap<Descriptor, Coding>();

function codingOf(of: Descriptor): Coding {
  const known = codings.get(of);
  if (known !== undefined) return known;
  const fields = Object.entries(of.fields)
    .map(([key, field]) => codedOf(key, field))
    .sort(byNumber);
  const made = {
    fields,
    byKey: new Map(fields.map((coded) => [coded.key, coded])),
    byNumber: new Map(fields.map((coded) => [coded.field.number, coded])),
    make: maker(of),
  };
  codings.set(of, made);
  return made;
}

function byNumber(a: Coded, b: Coded): number {
  return a.field.number - b.field.number;
}

function codedOf(key: string, given: Field): Coded {
  const { kind, number, nullable, repeated } = given;
  const isDelimited = kind === "bytes" || kind === "string" || kind === "message";
  const packed = repeated && !isDelimited;
  return {
    key,
    field: given,
    kind,
    tag: number * 8 + (isDelimited || packed ? LENGTH_DELIMITED : VARINT),
    zero: nullable ? null : zeroOf(given),
    packed,
    message: given.message?.() ?? null,
  };
}

/** One for all: an encoding is over before another begins. */
const OUT = new NestedWriter(1_024);

/** The bytes of a message; zero fields are left out. */
export function encode<T>(of: Descriptor<T>, value: T): Uint8Array {
  OUT.clear();
  write(codingOf(of).fields, value as Values, OUT);
  return OUT.take();
}

/**
 * The bytes of a message of which these fields are given, and no others: for one with many fields of which few are ever
 * there. They are to be read before anything else is encoded.
 */
export function encodeGiven<T>(of: Descriptor<T>, given: Partial<T>): Uint8Array {
  const { byKey } = codingOf(of);
  const fields: Coded[] = [];
  for (const key in given) {
    const coded = byKey.get(key);
    if (coded !== undefined) fields.push(coded);
  }
  OUT.clear();
  write(fields.sort(byNumber), given, OUT);
  return OUT.takeView();
}

/** The same, with their length before them, at the end of what a writer holds. */
export function encodeInto<T>(of: Descriptor<T>, value: T, out: NestedWriter): void {
  const start = out.openLength();
  write(codingOf(of).fields, value as Values, out);
  out.closeLength(start);
}

type Values = Readonly<Record<string, unknown>>;

function write(fields: readonly Coded[], value: Values, out: NestedWriter): void {
  for (const coded of fields) {
    const item = value[coded.key];
    if (item === coded.zero) continue;
    if (!coded.field.repeated) writeOne(coded, item, out);
    else if (!coded.packed) for (const one of item as readonly unknown[]) writeOne(coded, one, out);
    else if ((item as readonly unknown[]).length > 0) {
      out.varint(coded.tag);
      const start = out.openLength();
      for (const one of item as readonly unknown[]) writeScalar(coded, one, out);
      out.closeLength(start);
    }
  }
}

function writeOne(coded: Coded, value: unknown, out: NestedWriter): void {
  out.varint(coded.tag);
  switch (coded.kind) {
    case "bytes":
      return out.byteString(value as Bytes);
    case "string":
      return out.text(value as string);
    case "message": {
      const start = out.openLength();
      write(codingOf(coded.message as Descriptor).fields, value as Values, out);
      return out.closeLength(start);
    }
    default:
      writeScalar(coded, value, out);
  }
}

function writeScalar({ kind, field: { names } }: Coded, value: unknown, out: ByteWriter): void {
  switch (kind) {
    case "bool":
      return out.u8(value === true ? 1 : 0);
    case "enum":
      return out.varint((names as readonly string[]).indexOf(value as string));
    case "uint32":
      return out.varint(value as number);
    case "int":
      if ((value as number) >= 0) return out.varint(value as number);
      return writeBig(BigInt(value as number), out);
    default:
      if ((value as string).length < SAFE_DIGITS && !(value as string).startsWith("-"))
        return out.varint(Number(value));
      return writeBig(BigInt(value as string), out);
  }
}

/** Decimal numbers of fewer digits are safe integers. */
const SAFE_DIGITS = 16;

/** Ten bytes when negative: two's complement of 64 bits. */
function writeBig(value: bigint, out: ByteWriter): void {
  const whole = BigInt.asUintN(64, value);
  const low = Number(whole & 0xfffffffn);
  const middle = Number((whole >> 28n) & 0xfffffffn);
  const high = Number(whole >> 56n);
  let rest = low;
  for (let i = 0; i < 4; i += 1) {
    if (middle === 0 && high === 0 && rest < 128) return out.u8(rest);
    out.u8((rest & 127) | 128);
    rest >>>= 7;
  }
  rest = middle;
  for (let i = 0; i < 4; i += 1) {
    if (high === 0 && rest < 128) return out.u8(rest);
    out.u8((rest & 127) | 128);
    rest >>>= 7;
  }
  out.varint(high);
}

/** The message that bytes of our own say; fields that are not in the table are skipped. */
export function decode<T>(of: Descriptor<T>, data: Uint8Array): T {
  return read(of, new ByteReader(data), data.length) as T;
}

/** One that `encodeInto` wrote. */
export function decodeFrom<T>(of: Descriptor<T>, reader: ByteReader): T {
  const length = reader.varint();
  return read(of, reader, reader.at + length) as T;
}

function read(of: Descriptor, reader: ByteReader, end: number): object {
  const coding = codingOf(of);
  const value = coding.make();
  while (reader.at < end) {
    const tag = reader.varint();
    const coded = coding.byNumber.get(tag >>> 3);
    if ((tag & 7) === VARINT) {
      const raw = readBig(reader);
      if (coded !== undefined) value[coded.key] = scalar(coded.field, raw);
      continue;
    }
    const length = reader.varint();
    if (coded === undefined) reader.raw(length);
    else if (!coded.field.repeated) value[coded.key] = delimited(coded, reader, length);
    else {
      // The zero is shared: the first item makes a list of its own.
      const items = value[coded.key] === NONE ? [] : (value[coded.key] as unknown[]);
      value[coded.key] = items;
      if (!coded.packed) items.push(delimited(coded, reader, length));
      else for (const last = reader.at + length; reader.at < last; ) items.push(scalar(coded.field, readBig(reader)));
    }
  }
  if (reader.at !== end) throw new MalformedBytes(`${of.name} is longer than it says`);
  return value;
}

function delimited({ kind, message: of }: Coded, reader: ByteReader, length: number): unknown {
  if (kind === "bytes") return fromArray(reader.raw(length));
  if (kind === "string") return utf8Decode(reader.raw(length));
  return read(of as Descriptor, reader, reader.at + length);
}

/** A number while it has at most seven groups of seven bits, which most have. */
function readBig(reader: ByteReader): number | bigint {
  let low = 0;
  for (let scale = 1; scale < 2 ** 49; scale *= 128) {
    const byte = reader.u8();
    low += (byte & 127) * scale;
    if (byte < 128) return low;
  }
  const byte = reader.u8();
  // Seven bits more at most, or the sign of all that is behind.
  const eighth = byte & 127;
  if (byte < 128) return BigInt(low) | (BigInt(eighth) << 49n);
  const ninth = reader.u8();
  const high = BigInt(eighth + (ninth & 127) * 128) << 49n;
  if (ninth < 128) return BigInt(low) | high;
  const tenth = reader.u8();
  if (tenth > 1) throw new MalformedBytes("a varint is too long");
  return BigInt(low) | high | (BigInt(tenth) << 63n);
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
      return typeof raw === "number" ? raw : Number(BigInt.asIntN(64, raw));
    case "uint64":
      return String(raw);
    default:
      return typeof raw === "number" ? String(raw) : BigInt.asIntN(64, raw).toString();
  }
}
