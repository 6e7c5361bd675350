/** Bytes as text for people: UTF-8 as it is, what is not, and what cannot be seen, escaped. */
import { type Bytes, runeLength, toText } from "../../etcd/api/bytes.ts";

export function textOf(bytes: Bytes): string {
  if (/^[\x20-\x7e]*$/.test(bytes)) return bytes;
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = runeLength(bytes, at);
    const code = bytes.charCodeAt(at);
    if (length === 0 || code < 0x20 || code === 0x7f) {
      text += code === 0x0a ? "\\n" : `\\x${code.toString(16).padStart(2, "0")}`;
      at += 1;
    } else {
      text += toText(bytes.slice(at, at + length));
      at += length;
    }
  }
  return text;
}

/** At most so many characters, the last of them an ellipsis when some were cut. */
export function shortText(bytes: Bytes, most: number): string {
  // A character has at most four bytes: no more of a long value need be looked at.
  const text = textOf(bytes.length > 4 * most ? bytes.slice(0, 4 * most) : bytes);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
