/** Each member's log as cells, the newest `LOG_WINDOW` of them at least. */
import { assert, present } from "../../base/assert.ts";
import type { EntryShown } from "../../replica/events.ts";
import type { ProcessId } from "../../sim/command.ts";
import { LOG_WINDOW, type LogCell, type LogChange, type LogView } from "../../trace/view.ts";

interface Log {
  firstIndex: number;
  cells: LogCell[];
  /** The lowest index that changed since the last delta; NONE when none did. */
  changedFrom: number;
}

const NONE = Number.POSITIVE_INFINITY;

export type LogsState = readonly (readonly [ProcessId, LogView])[];

export class Logs {
  readonly #logs = new Map<ProcessId, Log>();

  constructor(state: LogsState = []) {
    for (const [id, { firstIndex, cells }] of state) {
      this.#logs.set(id, { firstIndex, cells: [...cells], changedFrom: NONE });
    }
  }

  /** The log of `id` is empty, and begins behind entry `index`. */
  reset(id: ProcessId, index: number): void {
    this.#logs.set(id, { firstIndex: index + 1, cells: [], changedFrom: index + 1 });
  }

  remove(id: ProcessId): void {
    this.#logs.delete(id);
  }

  append(id: ProcessId, { term, index, type, label, request }: EntryShown): void {
    const log = this.#of(id);
    assert(index === log.firstIndex + log.cells.length, `entry ${index} follows the log of ${id}`);
    log.cells.push({ term, kind: type !== "normal" ? "config" : request === null ? "no-op" : "write", label });
    log.changedFrom = Math.min(log.changedFrom, index);
    if (log.cells.length <= 2 * LOG_WINDOW) return;
    this.#dropBefore(log, log.cells.length - LOG_WINDOW);
  }

  /** Cells from `index` on are gone. False when there were none. */
  cut(id: ProcessId, index: number): boolean {
    const log = this.#of(id);
    if (index >= log.firstIndex + log.cells.length) return false;
    log.cells.length = Math.max(0, index - log.firstIndex);
    log.changedFrom = Math.min(log.changedFrom, index);
    return true;
  }

  /** Cells up to `index` are gone. */
  compact(id: ProcessId, index: number): void {
    const log = this.#of(id);
    this.#dropBefore(log, Math.min(log.cells.length, Math.max(0, index + 1 - log.firstIndex)));
    log.changedFrom = Math.min(log.changedFrom, log.firstIndex + log.cells.length);
  }

  all(): Record<string, LogChange> {
    return Object.fromEntries(
      [...this.#logs].map(([id, { firstIndex, cells }]) => [id, { from: firstIndex, firstIndex, cells: [...cells] }]),
    );
  }

  takeChanges(): Record<string, LogChange> {
    const changes: Record<string, LogChange> = {};
    for (const [id, log] of this.#logs) {
      if (log.changedFrom === NONE) continue;
      const from = Math.max(log.changedFrom, log.firstIndex);
      changes[id] = { from, firstIndex: log.firstIndex, cells: log.cells.slice(from - log.firstIndex) };
      log.changedFrom = NONE;
    }
    return changes;
  }

  state(): LogsState {
    return [...this.#logs].map(([id, { firstIndex, cells }]) => [id, { firstIndex, cells: [...cells] }] as const);
  }

  #dropBefore(log: Log, count: number): void {
    log.cells = log.cells.slice(count);
    log.firstIndex += count;
  }

  #of(id: ProcessId): Log {
    return present(this.#logs.get(id), `the log of ${id}`);
  }
}
