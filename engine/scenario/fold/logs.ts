/** Each member's log as cells, the newest `LOG_WINDOW` of them at least. */
import { assert, present } from "../../base/assert.ts";
import { Tail, type TailState } from "../../base/tail.ts";
import type { EntryShown } from "../../replica/events.ts";
import type { ProcessId } from "../../sim/command.ts";
import { LOG_WINDOW, type LogCell, type LogChange } from "../../trace/view.ts";

interface Log {
  cells: Tail<LogCell>;
  /** The lowest index that changed since the last delta; NONE when none did. */
  changedFrom: number;
}

const NONE = Number.POSITIVE_INFINITY;

export type LogsState = readonly (readonly [ProcessId, TailState<LogCell>])[];

export class Logs {
  readonly #logs = new Map<ProcessId, Log>();
  /** What was appended last, and as what: the members of a cluster append the same entries. */
  #recent: EntryShown | null = null;
  #cell: LogCell = { term: 0, kind: "no-op", label: "" };

  constructor(state: LogsState = []) {
    for (const [id, cells] of state) this.#logs.set(id, { cells: Tail.from(cells), changedFrom: NONE });
  }

  /** The log of `id` is empty, and begins behind entry `index`. */
  reset(id: ProcessId, index: number): void {
    this.#logs.set(id, { cells: new Tail(index + 1), changedFrom: index + 1 });
  }

  remove(id: ProcessId): void {
    this.#logs.delete(id);
  }

  append(id: ProcessId, entry: EntryShown): void {
    const { index } = entry;
    const log = this.#of(id);
    const { cells } = log;
    assert(index === cells.last + 1, "an entry follows the log");
    if (entry !== this.#recent) {
      this.#recent = entry;
      this.#cell = cellOf(entry);
    }
    cells.push(this.#cell);
    log.changedFrom = Math.min(log.changedFrom, index);
    if (index - cells.start >= 2 * LOG_WINDOW) cells.forget(index - LOG_WINDOW);
  }

  /** Cells from `index` on are gone. False when there were none. */
  cut(id: ProcessId, index: number): boolean {
    const log = this.#of(id);
    if (index > log.cells.last) return false;
    log.cells.cut(index);
    log.changedFrom = Math.min(log.changedFrom, index);
    return true;
  }

  /** Cells up to `index` are gone. */
  compact(id: ProcessId, index: number): void {
    const log = this.#of(id);
    log.cells.forget(Math.min(index, log.cells.last));
    log.changedFrom = Math.min(log.changedFrom, log.cells.last + 1);
  }

  all(): Record<string, LogChange> {
    return Object.fromEntries([...this.#logs].map(([id, { cells }]) => [id, changeOf(cells, cells.start)]));
  }

  takeChanges(): Record<string, LogChange> {
    const changes: Record<string, LogChange> = {};
    for (const [id, log] of this.#logs) {
      if (log.changedFrom === NONE) continue;
      changes[id] = changeOf(log.cells, Math.max(log.changedFrom, log.cells.start));
      log.changedFrom = NONE;
    }
    return changes;
  }

  state(): LogsState {
    return [...this.#logs].map(([id, { cells }]) => [id, cells.state()] as const);
  }

  #of(id: ProcessId): Log {
    return present(this.#logs.get(id), id);
  }
}

function cellOf({ term, type, label, request }: EntryShown): LogCell {
  return { term, kind: type !== "normal" ? "config" : request === null ? "no-op" : "write", label };
}

function changeOf(cells: Tail<LogCell>, from: number): LogChange {
  return { from, firstIndex: cells.start, cells: cells.from(from) };
}
