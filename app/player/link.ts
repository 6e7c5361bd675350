/**
 * The link that replays a run: `#s=1.` and then JSON, deflated (raw), in base64url.
 *
 * The fragment never leaves the browser. What comes in is hostile until it validates: sizes are limited before and
 * while it unpacks, then `schema.ts` looks at every figure.
 */
import * as v from "valibot";
import type { Micros, Recorded, Recording, RunSpec } from "../../engine/index.ts";
import type { LinkProblem } from "../store/problem.ts";
import { type LinkBody, LinkBodySchema, type SharedView } from "./schema.ts";

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: LinkProblem };

export interface SharedRun {
  readonly spec: RunSpec;
  readonly commands: readonly Recorded[];
  readonly at: Micros;
  readonly n: number;
  readonly hash: string;
  /** The engine's version that made it. */
  readonly version: number;
  readonly view: SharedView;
}

/** Raised whenever the same seed, config and commands may give another run than before. */
export const ENGINE_VERSION = 6;
/** Of the form of the link itself. */
const FORM = "1";
export const PACKED_BYTES_MAX = 65_536;
export const UNPACKED_BYTES_MAX = 1_048_576;

export async function encodeLink(run: Recording & { readonly view?: SharedView }): Promise<Outcome<string>> {
  const { spec, commands, at, n, hash, view } = run;
  const body: LinkBody = { v: ENGINE_VERSION, ...spec, commands, at, n, hash, ...(view === undefined ? {} : { view }) };
  // What we could not open again we do not hand out.
  const checked = v.safeParse(LinkBodySchema, body, { abortEarly: true });
  if (!checked.success) return refuse({ why: "not-valid", path: pathOf(checked.issues[0]) });
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  if (bytes.length > UNPACKED_BYTES_MAX) return refuse({ why: "too-large", limit: UNPACKED_BYTES_MAX });
  const packed = await through(bytes, new CompressionStream("deflate-raw"), PACKED_BYTES_MAX);
  if (packed === null) return refuse({ why: "too-large", limit: PACKED_BYTES_MAX });
  return { ok: true, value: `s=${FORM}.${toBase64Url(packed)}` };
}

/** @param text an address, its fragment with or without `#`, or the bare text after it */
export async function decodeLink(text: string): Promise<Outcome<SharedRun>> {
  // Four characters carry three bytes; an address in front of them is short beside that.
  if (text.length > PACKED_BYTES_MAX * 1.5) return refuse({ why: "too-large", limit: PACKED_BYTES_MAX });
  const found = /(?:^|[#&])s=([0-9A-Za-z]{1,8})\.([0-9A-Za-z_-]+)(?:&|$)/.exec(text.trim());
  const [, form, packedText] = found ?? [];
  if (form === undefined || packedText === undefined) return refuse({ why: "not-a-link" });
  if (form !== FORM) return refuse({ why: "other-version", version: form });
  const packed = fromBase64Url(packedText);
  if (packed === null) return refuse({ why: "damaged" });
  if (packed.length > PACKED_BYTES_MAX) return refuse({ why: "too-large", limit: PACKED_BYTES_MAX });
  return await unpack(packed);
}

async function unpack(packed: Uint8Array<ArrayBuffer>): Promise<Outcome<SharedRun>> {
  let body: unknown;
  try {
    const bytes = await through(packed, new DecompressionStream("deflate-raw"), UNPACKED_BYTES_MAX);
    if (bytes === null) return refuse({ why: "too-large", limit: UNPACKED_BYTES_MAX });
    body = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return refuse({ why: "damaged" });
  }
  const checked = v.safeParse(LinkBodySchema, body, { abortEarly: true });
  if (!checked.success) return refuse({ why: "not-valid", path: pathOf(checked.issues[0]) });
  const { v: version, seed, config, commands, at, n, hash, view } = checked.output;
  return { ok: true, value: { spec: { seed, config }, commands, at, n, hash, version, view: view ?? {} } };
}

function refuse(problem: LinkProblem): { readonly ok: false; readonly problem: LinkProblem } {
  return { ok: false, problem };
}

/** Where a body fails, as in `commands.3.command.process`; cut short, since the keys may be a stranger's. */
function pathOf(issue: v.BaseIssue<unknown>): string {
  const path = (issue.path ?? []).map((item) => String(item.key)).join(".");
  return path === "" ? "/" : path.slice(0, 80);
}

/** Sends bytes through a stream; null as soon as more than `limit` come out. */
async function through(
  bytes: Uint8Array<ArrayBuffer>,
  transform: CompressionStream | DecompressionStream,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const reader = new Blob([bytes]).stream().pipeThrough(transform).getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}

function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
