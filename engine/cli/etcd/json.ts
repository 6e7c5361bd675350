/**
 * JSON as etcd's gateway reads and writes it: proto3's mapping (Go's jsonpb behind grpc-gateway 1.9), from the same
 * tables as the binary form.
 *
 * Reading is liberal in names (snake_case and camelCase, unknown ones are ignored) and strict in types. Writing leaves
 * zero values out, has 64-bit integers as strings, and bytes in base64.
 */
import { type Bytes, fromArray, toArray } from "../../etcd/api/bytes.ts";
import {
  create,
  type Descriptor,
  enumName,
  type Field,
  protoName,
  UNRECOGNIZED,
  zeroOf,
} from "../../etcd/api/proto.ts";
import { allValues, firstValue, JsonProblem, type Value, type Written } from "./json-text.ts";

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

// ── reading ──

/** An empty text is an empty message; what stands behind the first value is not looked at. */
export function readMessage<T>(of: Descriptor<T>, text: string): T {
  return messageOf(of, firstValue(text)) as T;
}

/** Of a stream: one message after the other. */
export function readMessages<T>(of: Descriptor<T>, text: string): readonly T[] {
  return allValues(text).map((value) => messageOf(of, value) as T);
}

function messageOf(of: Descriptor, given: Value): object {
  if (given === null) return create(of) as object;
  if (!(given instanceof Map)) throw new JsonProblem(`${of.name} is no object`);
  const value: Record<string, unknown> = { ...(create(of) as object) };
  for (const [key, field] of Object.entries(of.fields)) {
    const proto = protoName(key, field);
    // If both names are there, the camelCase one counts.
    const item = (given.get(camel(proto)) ?? given.get(proto)) as Value | undefined;
    if (item === undefined || item === null) continue;
    value[key] = field.repeated ? listOf(field, item) : valueOf(field, item);
  }
  return value;
}

function camel(name: string): string {
  return name.replace(/_(\w)/gu, (_match, letter: string) => letter.toUpperCase());
}

function listOf(field: Field, given: Value): readonly unknown[] {
  if (!Array.isArray(given)) throw new JsonProblem("a list is needed");
  return (given as readonly Value[]).map((item) => valueOf(field, item));
}

function valueOf(field: Field, given: Value): unknown {
  switch (field.kind) {
    case "bytes":
      return bytesOf(given);
    case "string":
      if (typeof given !== "string") throw new JsonProblem("a string is needed");
      return given;
    case "bool":
      if (typeof given !== "boolean") throw new JsonProblem("true or false is needed");
      return given;
    case "int":
    case "uint32":
      return safe(integerOf(given, field.kind === "int"));
    case "int64":
      return integerOf(given, true).toString();
    case "uint64":
      return integerOf(given, false).toString();
    case "enum":
      return enumOf(field, given);
    case "message":
      return messageOf((field.message as () => Descriptor)(), given);
  }
}

/** Standard base64 with its padding; line ends within are skipped. Or a list of bytes, which Go's decoder takes too. */
function bytesOf(given: Value): Bytes {
  if (Array.isArray(given)) return String.fromCharCode(...(given as readonly Value[]).map(byteOf));
  if (typeof given !== "string") throw new JsonProblem("base64 is needed");
  const text = given.replaceAll(/[\r\n]/gu, "");
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u.test(text))
    throw new JsonProblem("illegal base64 data");
  return fromArray(Buffer.from(text, "base64"));
}

/** Revisions, limits and times beyond what a figure holds mean the same as the largest: more than there can be. */
function safe(value: bigint): number {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(value > most ? most : value < -most ? -most : value);
}

function byteOf(given: Value): number {
  if (given === null) return 0;
  const digits = writtenOf(given)?.digits;
  if (digits === undefined || !/^\d+$/u.test(digits) || Number(digits) > 0xff)
    throw new JsonProblem("a number of one byte is needed");
  return Number(digits);
}

/** A whole number; in quotes it is JSON once more. */
function integerOf(given: Value, signed: boolean): bigint {
  if (typeof given === "string") {
    const [inner, ...more] = allValues(given);
    if (inner === undefined || typeof inner === "string" || more.length > 0)
      throw new JsonProblem(`${given} is no whole number`);
    return inner === null ? 0n : integerOf(inner, signed);
  }
  const digits = writtenOf(given)?.digits;
  if (digits === undefined || !/^-?\d+$/u.test(digits)) throw new JsonProblem("a whole number is needed");
  const value = BigInt(digits);
  const fits = signed ? BigInt.asIntN(64, value) === value : BigInt.asUintN(64, value) === value;
  if (!fits) throw new JsonProblem(`${digits} has more than 64 bits`);
  return value;
}

function writtenOf(given: Value): Written | null {
  return given !== null && typeof given === "object" && "digits" in given ? given : null;
}

/** By its name, or by its number. */
function enumOf(field: Field, given: Value): string {
  const written = writtenOf(given);
  if (written !== null) return enumName(field, Number(integerOf(written, true)));
  const known = field.names?.find((name) => name === given && name !== UNRECOGNIZED);
  if (known === undefined) throw new JsonProblem("no value of this enum");
  return known;
}

// ── writing ──

export function writeMessage(of: Descriptor, value: object): { readonly [key: string]: Json | undefined } {
  const json: Record<string, Json> = {};
  for (const [key, field] of Object.entries(of.fields)) {
    const item = (value as Readonly<Record<string, unknown>>)[key];
    if (item === undefined) continue;
    if (field.repeated) {
      const items = item as readonly unknown[];
      if (items.length > 0) json[protoName(key, field)] = items.map((each) => jsonOf(field, each));
    } else if (field.nullable ? item !== null : item !== zeroOf(field)) {
      json[protoName(key, field)] = jsonOf(field, item);
    }
  }
  return json;
}

function jsonOf(field: Field, value: unknown): Json {
  switch (field.kind) {
    case "bytes":
      return Buffer.from(toArray(value as Bytes)).toString("base64");
    case "int":
      return String(value);
    case "message":
      return writeMessage((field.message as () => Descriptor)(), value as object);
    default:
      return value as Json;
  }
}

/** Text repeated, as base64: how recorded requests abbreviate long values. */
export function filled([text, count]: readonly [string, number]): string {
  return Buffer.from(text.repeat(count), "utf8").toString("base64");
}
