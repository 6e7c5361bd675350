/**
 * A message as Go's encoding/json writes the struct that gogo/protobuf makes of it: fields by their number, those that
 * are zero left out, bytes in base64, enums and 64-bit integers as numbers. (pkg.go.dev/encoding/json)
 */
import type { Bytes } from "../../api/bytes.ts";
import { type Descriptor, type Field, protoName, zeroOf } from "../../api/proto.ts";

export function goJson<T>(of: Descriptor<T>, value: T): string {
  return `{${members(of, value).join(",")}}`;
}

/** The parts between the braces: what Go does with an embedded struct. */
export function members<T>(of: Descriptor<T>, value: T): readonly string[] {
  const from = value as Readonly<Record<string, unknown>>;
  // a oneof is a field of its own, which holds its name in capitals
  if (of.name === "ResponseOp") return oneOf(of, from);
  return Object.entries(of.fields)
    .sort(([, a], [, b]) => a.number - b.number)
    .filter(([key, f]) => !isEmpty(f, from[key]))
    .map(([key, f]) => `${jsonString(protoName(key, f))}:${member(f, from[key])}`);
}

function isEmpty(f: Field, value: unknown): boolean {
  return f.repeated ? (value as readonly unknown[]).length === 0 : value === zeroOf(f);
}

function member(f: Field, value: unknown): string {
  if (!f.repeated) return scalar(f, value);
  return `[${(value as readonly unknown[]).map((one) => scalar(f, one)).join(",")}]`;
}

function scalar(f: Field, value: unknown): string {
  switch (f.kind) {
    case "bytes":
      return `"${base64(value as Bytes)}"`;
    case "string":
      return jsonString(value as string);
    case "enum":
      return String((f.names as readonly unknown[]).indexOf(value));
    case "message":
      return goJson((f.message as () => Descriptor)(), value);
    default:
      return String(value);
  }
}

function oneOf(of: Descriptor, from: Readonly<Record<string, unknown>>): readonly string[] {
  for (const [key, f] of Object.entries(of.fields)) {
    if (from[key] === null) continue;
    return [`"Response":{"${key[0]?.toUpperCase() ?? ""}${key.slice(1)}":${scalar(f, from[key])}}`];
  }
  return ['"Response":null'];
}

/** With `<`, `>` and `&` escaped, as Go does for the sake of HTML. */
export function jsonString(text: string): string {
  const escaped = JSON.stringify(text).replace(
    /[<>&\u2028\u2029]|\\[bf]/g,
    (found) => `\\u${(found === "\\b" ? 8 : found === "\\f" ? 12 : found.charCodeAt(0)).toString(16).padStart(4, "0")}`,
  );
  return escaped;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export function base64(bytes: Bytes): string {
  let out = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const a = bytes.charCodeAt(at);
    const b = left > 1 ? bytes.charCodeAt(at + 1) : 0;
    const c = left > 2 ? bytes.charCodeAt(at + 2) : 0;
    out += (DIGITS[a >> 2] as string) + (DIGITS[((a & 3) << 4) | (b >> 4)] as string);
    out += left > 1 ? (DIGITS[((b & 15) << 2) | (c >> 6)] as string) : "=";
    out += left > 2 ? (DIGITS[c & 63] as string) : "=";
  }
  return out;
}
