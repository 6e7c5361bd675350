/** The keys that a key and a range end name together, as every call of etcd's has them. */
import { type Bytes, FROM_KEY } from "../api/bytes.ts";

export interface Span {
  readonly key: Bytes;
  /** Empty: the one key. `\0`: all from the key on. Else [key, rangeEnd), which may be empty. */
  readonly rangeEnd: Bytes;
}

/** Whether a key lies in it. */
export function contains({ key, rangeEnd }: Span, other: Bytes): boolean {
  if (rangeEnd === "") return other === key;
  return other >= key && (rangeEnd === FROM_KEY || other < rangeEnd);
}

/** For people: one key, `prefix*`, `from key…`, `[a, b)`. */
export function spanText({ key, rangeEnd }: Span, text: (bytes: Bytes) => string): string {
  if (rangeEnd === "") return text(key);
  if (rangeEnd === FROM_KEY) return key === "" || key === "\0" ? "*" : `[${text(key)}, …)`;
  const last = key.charCodeAt(key.length - 1);
  const isPrefix = last < 0xff && rangeEnd === key.slice(0, -1) + String.fromCharCode(last + 1);
  return isPrefix ? `${text(key)}*` : `[${text(key)}, ${text(rangeEnd)})`;
}
