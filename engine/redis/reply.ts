/** Replies by their RESP2 kinds, and the errors that many commands share, worded as Redis 7.0 does. */

export type Reply =
  | { readonly type: "status"; readonly value: string }
  | { readonly type: "error"; readonly value: string }
  | { readonly type: "int"; readonly value: number }
  | { readonly type: "bulk"; readonly value: string }
  /** The null bulk string. */
  | { readonly type: "nil" }
  /** The null array: EXEC after a broken WATCH, a blocking pop that timed out. */
  | { readonly type: "nilarray" }
  | { readonly type: "array"; readonly items: readonly Reply[] };

export const OK: Reply = { type: "status", value: "OK" };
export const QUEUED: Reply = { type: "status", value: "QUEUED" };
export const NIL: Reply = { type: "nil" };
export const NIL_ARRAY: Reply = { type: "nilarray" };
export const EMPTY: Reply = { type: "array", items: [] };

export function status(value: string): Reply {
  return { type: "status", value };
}
/** A bigint beyond 2^53 loses its last digits here, as in any client whose integers are doubles. */
export function int(value: number | bigint | boolean): Reply {
  return { type: "int", value: Number(value) };
}
export function bulk(value: string | null | undefined): Reply {
  return value === null || value === undefined ? NIL : { type: "bulk", value };
}
export function array(items: readonly Reply[]): Reply {
  return { type: "array", items };
}
export function bulks(values: readonly (string | null | undefined)[]): Reply {
  return { type: "array", items: values.map(bulk) };
}
/** @param value the whole text with its code, `ERR …` */
export function error(value: string): Reply {
  return { type: "error", value };
}

/** A command that cannot be carried out; it is answered with the text. Thrown before anything was changed. */
export class Refused extends Error {
  override readonly name = "Refused";
}

export const WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";
export const SYNTAX = "ERR syntax error";
export const NOT_AN_INTEGER = "ERR value is not an integer or out of range";
export const NOT_A_FLOAT = "ERR value is not a valid float";
export const NO_SUCH_KEY = "ERR no such key";
export const OUT_OF_RANGE = "ERR index out of range";
export const READ_ONLY = "READONLY You can't write against a read only replica.";

export function wrongArity(command: string): string {
  return `ERR wrong number of arguments for '${command}' command`;
}
