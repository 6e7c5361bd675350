/**
 * A member's disk: named files of bytes, a write cache, and what a crash does to it.
 *
 * Writes are in order. `sync` is one barrier for the whole disk: when it has ended, everything that was asked before it
 * began is durable, removals too. A crash undoes what is not durable; with torn writes on, a prefix of the appended
 * bytes that were not yet durable may survive, cut anywhere. The disk outlives its process.
 *
 * A file is a list of chunks that is only ever appended to, so a checkpoint shares it by length; what cuts a file
 * copies the list first.
 */
import { assert } from "../base/assert.ts";
import { concatBytes } from "../base/bytes.ts";
import type { Rng } from "../base/rng.ts";
import type { DiskFile } from "./process.ts";

interface FileState {
  chunks: readonly Uint8Array[];
  /** Chunks of the list that belong to this file; a list that a checkpoint shares may be longer. */
  count: number;
  length: number;
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

/** With more, a file's chunks become one: a small array of bytes costs many times what is in it. */
const CHUNKS_MAX = 256;

export class Disk {
  readonly #files = new Map<string, FileState>();
  /** Oldest first: undoing goes backwards. */
  #undo: Undone[] = [];
  /** For each sync that has begun and not ended, how many of `#undo` it makes durable. */
  #barriers: number[] = [];

  constructor(state: DiskState | null = null) {
    if (state === null) return;
    for (const [name, file] of state.files)
      this.#files.set(name, { ...file, chunks: file.chunks.slice(0, file.count) });
    this.#undo = [...state.undo];
    this.#barriers = [...state.barriers];
  }

  get bytes(): number {
    let sum = 0;
    for (const file of this.#files.values()) sum += file.length;
    return sum;
  }

  size(name: string): number {
    return this.#files.get(name)?.length ?? 0;
  }

  append(name: string, bytes: Uint8Array): void {
    const file = this.#touch(name);
    if (file.count >= CHUNKS_MAX) {
      file.chunks = [concatBytes(file.chunks.slice(0, file.count))];
      file.count = 1;
    }
    // A longer list is shared with what was before a cut: the bytes behind `count` are not this file's.
    else if (file.chunks.length !== file.count) file.chunks = file.chunks.slice(0, file.count);
    (file.chunks as Uint8Array[]).push(bytes);
    file.count += 1;
    file.length += bytes.length;
  }

  truncate(name: string, length: number): void {
    const file = this.#touch(name);
    assert(length >= 0 && length <= file.length, "a file is truncated to less than it has");
    this.#files.set(name, cutFile(file, length));
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
    this.#undo = this.#undo.slice(durable);
    this.#barriers = this.#barriers.map((count) => count - durable);
  }

  /** What is left after a crash. Draws only with torn writes and something to tear. */
  crash(torn: boolean, rng: Rng): void {
    const atCrash = new Map([...this.#files].map(([name, file]) => [name, file] as const));
    for (const { file, before } of this.#undo.toReversed()) {
      if (before === null) this.#files.delete(file);
      // A copy: a checkpoint may hold what was before, and the file is changed in place from here on.
      else this.#files.set(file, { ...before });
    }
    const touched = [...new Set(this.#undo.map(({ file }) => file))];
    this.#undo = [];
    this.#barriers = [];
    if (!torn) return;
    for (const name of touched) {
      const now = atCrash.get(name);
      const durable = this.#files.get(name);
      const kept = durable?.length ?? 0;
      if (now === undefined || now.length <= kept) continue;
      this.#files.set(name, cutFile(now, kept + rng.below(now.length - kept + 1)));
    }
  }

  wipe(): void {
    this.#files.clear();
    this.#undo = [];
    this.#barriers = [];
  }

  /** Turns one bit over in a file: what a bad sector or a cosmic ray does. */
  flip(name: string, offset: number, bit: number): void {
    const file = this.#files.get(name);
    assert(file !== undefined && offset < file.length, "a bit is flipped inside a file");
    const bytes = concatBytes(file.chunks.slice(0, file.count));
    bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
    this.#files.set(name, { chunks: [bytes], count: 1, length: bytes.length });
  }

  read(): DiskFile[] {
    return [...this.#files]
      .map(([name, file]) => ({ name, bytes: concatBytes(file.chunks.slice(0, file.count)) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  state(): DiskState {
    return {
      files: [...this.#files].map(([name, file]) => [name, { ...file }] as const),
      undo: [...this.#undo],
      barriers: [...this.#barriers],
    };
  }

  #touch(name: string): FileState {
    const file = this.#files.get(name);
    this.#undo.push({ file: name, before: file === undefined ? null : { ...file } });
    if (file !== undefined) return file;
    const made: FileState = { chunks: [], count: 0, length: 0 };
    this.#files.set(name, made);
    return made;
  }
}

function cutFile(file: FileState, length: number): FileState {
  const chunks: Uint8Array[] = [];
  let left = length;
  for (let i = 0; i < file.count && left > 0; i += 1) {
    const chunk = file.chunks[i] as Uint8Array;
    chunks.push(chunk.length <= left ? chunk : chunk.subarray(0, left));
    left -= chunk.length;
  }
  return { chunks, count: chunks.length, length };
}
