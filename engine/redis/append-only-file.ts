/**
 * The append-only file: every write as a RESP command, and what a restart makes of it.
 *
 * One file, where Redis 7 has a base and increments beside a manifest. When fsync happens is `appendfsync`: `always`
 * before any answer leaves, `everysec`, or `no`, when the operating system writes back by itself after half a minute.
 */
import { SECOND, type Micros } from "../base/units.ts";
import type { DiskFile, Out } from "../sim/process.ts";
import { arrayToBytes, bytesToArray, decodeCommands, encodeCommand, lower } from "./bytes.ts";
import type { SnapshotEntry } from "./protocol.ts";

/** Linux writes dirty pages back after 30 s. */
const WRITE_BACK: Micros = 30 * SECOND;

export interface FileCheckpoint {
  readonly file: string;
  readonly db: number;
  readonly dirtySince: Micros | null;
  readonly generation: number;
}

export interface Loaded {
  readonly commands: readonly (readonly string[])[];
  readonly tornBytes: number;
}

const NAME = /^appendonly\.(\d+)\.aof$/;

export class AppendOnlyFile {
  readonly #out: Out;
  #generation = 1;
  /** The database that the file's reader is in; -1: not known. */
  #db = -1;
  #buffer = "";
  #dirtySince: Micros | null = null;

  constructor(out: Out) {
    this.#out = out;
  }

  checkpoint(): FileCheckpoint {
    return { file: this.#buffer, db: this.#db, dirtySince: this.#dirtySince, generation: this.#generation };
  }
  restore(saved: FileCheckpoint): void {
    this.#buffer = saved.file;
    this.#db = saved.db;
    this.#dirtySince = saved.dirtySince;
    this.#generation = saved.generation;
  }

  /** Reads the newest file; a torn end, or a transaction without its end, is cut off (aof-load-truncated). */
  load(files: readonly DiskFile[]): Loaded {
    const ours = files
      .map((file) => ({ file, generation: Number(NAME.exec(file.name)?.[1] ?? 0) }))
      .filter(({ generation }) => generation > 0)
      .sort((a, b) => b.generation - a.generation);
    const [newest, ...older] = ours;
    for (const { file } of older) this.#out.remove(file.name);
    if (newest === undefined) return { commands: [], tornBytes: 0 };
    this.#generation = newest.generation;
    const bytes = arrayToBytes(newest.file.bytes);
    const { commands, end } = decodeCommands(bytes);
    const whole = wholeTransactions(commands);
    const kept = whole === commands.length ? end : commands.slice(0, whole).map(encodeCommand).join("").length;
    if (kept < bytes.length) this.#out.truncate(newest.file.name, kept);
    return { commands: commands.slice(0, whole), tornBytes: bytes.length - kept };
  }

  append(db: number, commands: readonly (readonly string[])[]): void {
    if (db !== this.#db) this.#buffer += encodeCommand(["SELECT", String(db)]);
    this.#db = db;
    for (const command of commands) {
      this.#buffer += encodeCommand(command);
      if (lower(command[0] ?? "") === "select") this.#db = Number(command[1]);
    }
  }

  /** Starts a new file with all that there is, in place of the old one. */
  rewrite(entries: Iterable<SnapshotEntry>, now: Micros): void {
    const old = this.#name;
    this.#generation += 1;
    this.#buffer = "";
    this.#db = -1;
    for (const { db, key, value, expireAt } of entries) {
      this.append(db, [commandFor(key, value)]);
      if (expireAt !== null) this.append(db, [["PEXPIREAT", key, String(expireAt)]]);
    }
    this.write(now);
    this.#out.append(this.#name, new Uint8Array(0));
    this.#out.remove(old);
  }

  remove(): void {
    this.#out.remove(this.#name);
  }

  /** Hands what was appended to the operating system. True if there was anything. */
  write(now: Micros): boolean {
    if (this.#buffer === "") return false;
    this.#out.append(this.#name, bytesToArray(this.#buffer));
    this.#buffer = "";
    this.#dirtySince ??= now;
    return true;
  }

  /** When an fsync is due by itself; null: nothing waits for one. */
  syncDue(policy: string): Micros | null {
    return this.#dirtySince === null ? null : this.#dirtySince + (policy === "no" ? WRITE_BACK : SECOND);
  }

  sync(token: number): void {
    this.#dirtySince = null;
    this.#out.sync(token);
  }

  get #name(): string {
    return `appendonly.${this.#generation}.aof`;
  }
}

/** How many commands there are before a MULTI whose EXEC is missing. */
function wholeTransactions(commands: readonly (readonly string[])[]): number {
  const names = commands.map(([name = ""]) => lower(name));
  const begun = names.lastIndexOf("multi");
  return begun > names.lastIndexOf("exec") ? begun : commands.length;
}

function commandFor(key: string, value: SnapshotEntry["value"]): readonly string[] {
  switch (value.type) {
    case "string":
      return ["SET", key, value.text];
    case "hash":
      return ["HSET", key, ...[...value.fields].flat()];
    case "list":
      return ["RPUSH", key, ...value.items];
    case "set":
      return ["SADD", key, ...value.members];
    case "zset":
      return ["ZADD", key, ...[...value.scores].flatMap(([member, score]) => [String(score), member])];
  }
}
