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
  readonly buffer: string;
  readonly oldBuffer: string;
  readonly db: number;
  readonly dirtySince: Micros | null;
  readonly generation: number;
  readonly old: string | null;
}

export interface Loaded {
  readonly commands: readonly (readonly string[])[];
  readonly tornBytes: number;
}

const NAME = /^appendonly\.(\d+)\.aof$/;
const BEGIN = ["MULTI"];
const END = ["EXEC"];

export class AppendOnlyFile {
  readonly #out: Out;
  #generation = 1;
  /** The file before the rewritten one; it is written on until that one is durable. */
  #old: string | null = null;
  #oldBuffer = "";
  /** The database that the file's reader is in; -1: not known. */
  #db = -1;
  #buffer = "";
  #dirtySince: Micros | null = null;

  constructor(out: Out) {
    this.#out = out;
  }

  checkpoint(): FileCheckpoint {
    return {
      buffer: this.#buffer,
      oldBuffer: this.#oldBuffer,
      db: this.#db,
      dirtySince: this.#dirtySince,
      generation: this.#generation,
      old: this.#old,
    };
  }
  restore(saved: FileCheckpoint): void {
    this.#buffer = saved.buffer;
    this.#oldBuffer = saved.oldBuffer;
    this.#db = saved.db;
    this.#dirtySince = saved.dirtySince;
    this.#generation = saved.generation;
    this.#old = saved.old;
  }

  /**
   * Reads the newest file whose beginning is whole. A torn end, or a transaction without its end, is cut off
   * (aof-load-truncated).
   */
  load(files: readonly DiskFile[]): Loaded {
    const ours = files
      .flatMap(({ name, bytes }) => {
        const generation = Number(NAME.exec(name)?.[1] ?? 0);
        return generation === 0 ? [] : [{ name, generation, ...read(arrayToBytes(bytes)) }];
      })
      .sort((a, b) => b.generation - a.generation);
    const chosen = ours.find(({ generation, commands }) => generation === 1 || commands.length > 0);
    for (const one of ours) if (one !== chosen) this.#out.remove(one.name);
    // A name that was in use is not used again: its removal may not be durable.
    this.#generation = chosen?.generation ?? (ours[0]?.generation ?? 0) + 1;
    if (chosen === undefined) return { commands: [], tornBytes: 0 };
    if (chosen.tornBytes > 0) this.#out.truncate(chosen.name, chosen.kept);
    return chosen;
  }

  append(db: number, commands: readonly (readonly string[])[]): void {
    let text = db === this.#db ? "" : encodeCommand(["SELECT", String(db)]);
    this.#db = db;
    for (const command of commands) {
      text += encodeCommand(command);
      if (lower(command[0] ?? "") === "select") this.#db = Number(command[1]);
    }
    this.#buffer += text;
    if (this.#old !== null) this.#oldBuffer += text;
  }

  /**
   * Starts a new file with all that there is, as one transaction: torn, it is nothing, and the old one counts. The caller
   * syncs, and tells `rewritten`.
   *
   * @param keepOld whether there is an old one
   */
  rewrite(entries: Iterable<SnapshotEntry>, keepOld: boolean, now: Micros): void {
    this.write(now);
    if (this.#old !== null) this.#out.remove(this.#old);
    this.#old = null;
    const before = this.#name;
    this.#generation += 1;
    this.#db = -1;
    this.#buffer = encodeCommand(BEGIN);
    for (const { db, key, value, expireAt } of entries) {
      this.append(db, [commandFor(key, value)]);
      if (expireAt !== null) this.append(db, [["PEXPIREAT", key, String(expireAt)]]);
    }
    this.#buffer += encodeCommand(END);
    this.#db = -1;
    this.#old = keepOld ? before : null;
    this.write(now);
  }

  /** The new file is durable. */
  rewritten(): void {
    if (this.#old !== null) this.#out.remove(this.#old);
    this.#old = null;
    this.#oldBuffer = "";
  }

  remove(): void {
    this.rewritten();
    this.#buffer = "";
    this.#out.remove(this.#name);
  }

  /** Hands what was appended to the operating system. True if there was anything. */
  write(now: Micros): boolean {
    if (this.#buffer === "") return false;
    this.#out.append(this.#name, bytesToArray(this.#buffer));
    this.#buffer = "";
    if (this.#old !== null && this.#oldBuffer !== "") this.#out.append(this.#old, bytesToArray(this.#oldBuffer));
    this.#oldBuffer = "";
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

function read(bytes: string): Loaded & { readonly kept: number } {
  const { commands, end } = decodeCommands(bytes);
  const whole = wholeTransactions(commands);
  const kept = whole === commands.length ? end : commands.slice(0, whole).map(encodeCommand).join("").length;
  return { commands: commands.slice(0, whole), kept, tornBytes: bytes.length - kept };
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
