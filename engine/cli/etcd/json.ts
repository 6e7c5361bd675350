/**
 * JSON as etcd's gateway reads and writes it: proto3's mapping (Go's jsonpb behind grpc-gateway 1.9), from the same
 * tables as the binary form.
 *
 * Reading is liberal in names (snake_case and camelCase, unknown ones are ignored) and strict in types. Writing leaves
 * zero values out, has 64-bit integers as strings, and bytes in base64.
 */
import { type Bytes, fromArray, toArray } from "../../etcd/api/bytes.ts";
import { create, type Descriptor, enumName, type Field, protoName, zeroOf } from "../../etcd/api/proto.ts";

/** The text is no JSON, or not of this message. Only that it is so is compared, not Go's words for it. */
export class JsonProblem extends Error {
  override readonly name = "JsonProblem";
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

// ── reading ──

/** An empty text is an empty message; what stands behind the first value is not looked at. */
export function readMessage<T>(of: Descriptor<T>, text: string): T {
  if (text.trim() === "") return create(of);
  return messageOf(of, parse(firstValue(text))) as T;
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new JsonProblem(String(error));
  }
}

/** The first JSON value of a text: Go's decoder reads no further. */
function firstValue(text: string): string {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return text.slice(0, i + 1);
    }
  }
  return text;
}

function messageOf(of: Descriptor, json: Json): object {
  if (json === null) return create(of) as object;
  if (typeof json !== "object" || Array.isArray(json)) throw new JsonProblem(`${of.name} is no object`);
  const fields = json as Readonly<Record<string, Json | undefined>>;
  const value: Record<string, unknown> = { ...(create(of) as object) };
  for (const [key, field] of Object.entries(of.fields)) {
    const proto = protoName(key, field);
    // If both names are there, the camelCase one counts.
    const given = fields[camel(proto)] ?? fields[proto];
    if (given === undefined || given === null) continue;
    value[key] = field.repeated ? listOf(field, given) : valueOf(field, given);
  }
  return value;
}

function camel(name: string): string {
  return name.replace(/_(\w)/gu, (_match, letter: string) => letter.toUpperCase());
}

function listOf(field: Field, json: Json): readonly unknown[] {
  if (!Array.isArray(json)) throw new JsonProblem("a list is needed");
  return (json as readonly Json[]).map((item) => valueOf(field, item));
}

function valueOf(field: Field, json: Json): unknown {
  switch (field.kind) {
    case "bytes":
      return bytesOf(json);
    case "string":
      if (typeof json !== "string") throw new JsonProblem("a string is needed");
      return json;
    case "bool":
      if (typeof json !== "boolean") throw new JsonProblem("true or false is needed");
      return json;
    case "int":
    case "uint32":
      return Number(integerOf(json, field.kind === "int"));
    case "int64":
      return integerOf(json, true).toString();
    case "uint64":
      return integerOf(json, false).toString();
    case "enum":
      return enumOf(field, json);
    case "message":
      return messageOf((field.message as () => Descriptor)(), json);
  }
}

/** Standard base64 with its padding; line ends within are skipped. */
function bytesOf(json: Json): Bytes {
  if (typeof json !== "string") throw new JsonProblem("base64 is needed");
  const text = json.replaceAll(/[\r\n]/gu, "");
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u.test(text))
    throw new JsonProblem("illegal base64 data");
  return fromArray(Buffer.from(text, "base64"));
}

/** A whole number, or one in quotes. */
function integerOf(json: Json, signed: boolean): bigint {
  const text = typeof json === "number" ? String(json) : json;
  if (typeof text !== "string" || !/^-?(?:0|[1-9]\d*)$/u.test(text))
    throw new JsonProblem(`${JSON.stringify(text)} is no whole number`);
  const value = BigInt(text);
  const fits = signed ? BigInt.asIntN(64, value) === value : BigInt.asUintN(64, value) === value;
  if (!fits) throw new JsonProblem(`${text} has more than 64 bits`);
  return value;
}

function enumOf(field: Field, json: Json): string {
  if (typeof json === "number") return enumName(field, json);
  const known = field.names?.find((name) => name === json);
  if (known === undefined) throw new JsonProblem(`${JSON.stringify(json)} is no value of this enum`);
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
