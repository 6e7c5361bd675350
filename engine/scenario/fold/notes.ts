/** The latest notes: one line each of what happened, named by a sentence that the page has in every language. */
import type { Reason } from "../../raft/events.ts";
import type { EntryId } from "../../raft/types.ts";
import type { TraceEvent } from "../../sim/events.ts";
import { FAULTS_KEPT, type Note, NOTES_KEPT } from "../../trace/view.ts";

/** What somebody or chance does to the cluster, and the end of it: the timeline has a lane for it. */
const FAULTS: ReadonlySet<string> = new Set([
  "crashed",
  "restarted",
  "panicked",
  "paused",
  "resumed",
  "wiped",
  "corrupted",
  "partitioned",
  "cut",
  "mended",
  "mended-many",
  "healed",
  "clock-changed",
  "network-changed",
  "settings-changed",
  "spawned",
  "retired",
]);

export interface NotesState {
  readonly notes: readonly Note[];
  readonly faults: readonly Note[];
}

export class Notes {
  #kept: Note[];
  #faults: Note[];
  #fresh: Note[] = [];
  #freshFaults: Note[] = [];

  constructor({ notes, faults }: NotesState) {
    this.#kept = [...notes];
    this.#faults = [...faults];
  }

  add({ id, at, process }: TraceEvent, what: string, figures: Note["figures"]): void {
    const note: Note = { event: id, at, process, what, figures };
    this.#kept.push(note);
    this.#fresh.push(note);
    if (FAULTS.has(what)) {
      this.#faults.push(note);
      this.#freshFaults.push(note);
      if (this.#faults.length > 2 * FAULTS_KEPT) this.#faults = this.#faults.slice(-FAULTS_KEPT);
    }
    // Cut now and then, not at each note: an array that is shifted is copied.
    if (this.#kept.length > 2 * NOTES_KEPT) this.#kept = this.#kept.slice(-NOTES_KEPT);
    if (this.#fresh.length > 2 * NOTES_KEPT) this.#fresh = this.#fresh.slice(-NOTES_KEPT);
  }

  state(): NotesState {
    return { notes: [...this.#kept], faults: [...this.#faults] };
  }

  /** Those since the last call. */
  takeFresh(): NotesState {
    const fresh = { notes: this.#fresh, faults: this.#freshFaults };
    this.#fresh = [];
    this.#freshFaults = [];
    return fresh;
  }
}

export function entryText({ term, index }: EntryId): string {
  return `${term}/${index}`;
}

/** A reason as flat figures: entries become "term/index", lists are joined by blanks. */
export function reasonFigures(why: Reason | { readonly rule: string }): Record<string, string | number | null> {
  const figures: Record<string, string | number | null> = {};
  for (const [name, value] of Object.entries(why)) {
    if (typeof value === "string" || typeof value === "number" || value === null) figures[name] = value;
    else if (typeof value === "boolean") figures[name] = String(value);
    else if (Array.isArray(value)) figures[name] = value.join(" ");
    else if (isEntryId(value)) figures[name] = entryText(value);
  }
  return figures;
}

function isEntryId(value: unknown): value is EntryId {
  return typeof value === "object" && value !== null && "term" in value && "index" in value;
}
