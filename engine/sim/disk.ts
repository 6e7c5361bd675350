/**
 * A member's disk: named files of bytes, a write cache, and what a crash does to it.
 *
 * Writes are in order. `sync` is one barrier for the whole disk: when it has ended, everything that was asked before it
 * began is durable, removals too. A crash undoes what is not durable; with torn writes on, a prefix of the appended
 * bytes that were not yet durable may survive, cut anywhere. The disk outlives its process.
 *
 * A file is a length in a buffer that is only ever appended to, so a checkpoint and what an undo needs share it. Who
 * appends behind another's length copies the buffer first.
 */
import { assert } from "../base/assert.ts";
import { copyInto } from "../base/bytes.ts";
import { removeFirst } from "../base/lists.ts";
import type { Rng } from "../base/rng.ts";
import type { DiskFile } from "./process.ts";

interface Buffer {
  readonly bytes: Uint8Array;
  /** How far somebody has written: only who stands there may write on. */
  used: number;
}

/** A file at one moment; a write makes another. */
interface FileState {
  readonly buffer: Buffer;
  readonly length: number;
}

/** Something done since the last ended sync, as far as a crash must undo it. */
interface Undone {
  readonly file: string;
  /** The file before; null when it was not there. */
  readonly before: FileState | null;
}

export interface DiskState {
  readonly files: readonly (readonly [string, FileState])[];
  readonly undo: readonly Undone[];
  readonly barriers: readonly number[];
}

const BUFFER_MIN = 1_024;

export class Disk {
  readonly #files = new Map<string, FileState>();
  /** Oldest first: undoing goes backwards. */
  readonly #undo: Undone[] = [];
  /** For each sync that has begun and not ended, how many of `#undo` it makes durable. */
  readonly #barriers: number[] = [];

  constructor(state: DiskState | null = null) {
    if (state === null) return;
    for (const [name, file] of state.files) this.#files.set(name, file);
    this.#undo.push(...state.undo);
    this.#barriers.push(...state.barriers);
  }

  get bytes(): number {
    let sum = 0;
    for (const file of this.#files.values()) sum += file.length;
    return sum;
  }

  size(name: string): number {
    return this.#files.get(name)?.length ?? 0;
  }

  /** Copies the bytes: the caller may use them again. */
  append(name: string, bytes: Uint8Array): void {
    const before = this.#files.get(name) ?? null;
    this.#undo.push({ file: name, before });
    this.#files.set(name, appended(before, bytes));
  }

  truncate(name: string, length: number): void {
    const before = this.#files.get(name);
    assert(before !== undefined && length >= 0 && length <= before.length, "a file is truncated to less than it has");
    this.#undo.push({ file: name, before });
    this.#files.set(name, { ...before, length });
  }

  remove(name: string): void {
    const before = this.#files.get(name);
    if (before === undefined) return;
    this.#undo.push({ file: name, before });
    this.#files.delete(name);
  }

  syncBegins(): void {
    this.#barriers.push(this.#undo.length);
  }

  /** The oldest sync ends. */
  syncEnds(): void {
    const durable = this.#barriers.shift();
    assert(durable !== undefined, "a sync ends that never began");
    removeFirst(this.#undo, durable);
    const barriers = this.#barriers;
    for (let i = 0; i < barriers.length; i += 1) barriers[i] = (barriers[i] as number) - durable;
  }

  /** What is left after a crash. Draws only with torn writes and something to tear. */
  crash(torn: boolean, rng: Rng): void {
    const atCrash = new Map(this.#files);
    for (const { file, before } of this.#undo.toReversed()) {
      if (before === null) this.#files.delete(file);
      else this.#files.set(file, before);
    }
    const touched = [...new Set(this.#undo.map(({ file }) => file))];
    this.#forgetUndo();
    if (!torn) return;
    for (const name of touched) {
      const now = atCrash.get(name);
      const durable = this.#files.get(name);
      const kept = durable?.length ?? 0;
      if (now === undefined || now.length <= kept) continue;
      this.#files.set(name, { ...now, length: kept + rng.below(now.length - kept + 1) });
    }
  }

  wipe(): void {
    this.#files.clear();
    this.#forgetUndo();
  }

  /** Turns one bit over in a file: what a bad sector or a cosmic ray does. */
  flip(name: string, offset: number, bit: number): void {
    const file = this.#files.get(name);
    assert(file !== undefined && offset < file.length, "a bit is flipped inside a file");
    const bytes = contents(file);
    bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
    this.#files.set(name, { buffer: { bytes, used: bytes.length }, length: bytes.length });
  }

  read(): DiskFile[] {
    return [...this.#files]
      .map(([name, file]) => ({ name, bytes: contents(file) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #forgetUndo(): void {
    this.#undo.length = 0;
    this.#barriers.length = 0;
  }

  state(): DiskState {
    return { files: [...this.#files], undo: [...this.#undo], barriers: [...this.#barriers] };
  }
}

function contents({ buffer, length }: FileState): Uint8Array {
  return buffer.bytes.slice(0, length);
}

function appended(file: FileState | null, bytes: Uint8Array): FileState {
  const start = file?.length ?? 0;
  const length = start + bytes.length;
  let buffer = file?.buffer;
  if (file === null || buffer === undefined || buffer.used !== start || buffer.bytes.length < length) {
    const grown = new Uint8Array(Math.max(BUFFER_MIN, 2 * length));
    if (file !== null) grown.set(file.buffer.bytes.subarray(0, start));
    buffer = { bytes: grown, used: start };
  }
  copyInto(buffer.bytes, start, bytes);
  buffer.used = length;
  return { buffer, length };
}
