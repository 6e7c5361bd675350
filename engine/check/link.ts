/**
 * Entries as the checks know them: links of chains, each with a hash over itself and all before it.
 *
 * Two logs are equal up to an index exactly when their links there are equal, so no check ever walks a log.
 */
import { mixString, mixWord } from "../base/hash.ts";
import type { EntryId, EntryType, Index, Term } from "../raft/types.ts";
import type { EntryShown } from "../replica/events.ts";

export interface Link extends EntryId {
  /** Over this entry and all before it; null when what came before is not known. */
  readonly hash: number | null;
  readonly type: EntryType;
  /** Which request it stands for. */
  readonly request: string | null;
}

export const ROOT: Link = { term: 0, index: 0, hash: 0, type: "normal", request: null };

const TYPES: Readonly<Record<EntryType, number>> = { normal: 0, "conf-change": 1, "conf-change-v2": 2 };

export function linkAfter({ hash: before }: Link, { term, index, type, label, request }: EntryShown): Link {
  const hash =
    before === null ? null : mixString(mixString(mixWord(mixWord(before, term), TYPES[type]), label), request ?? "");
  return { term, index, hash, type, request };
}

/** A link of which only the id is known. */
export function bareLink({ term, index }: EntryId): Link {
  return { term, index, hash: null, type: "normal", request: null };
}

/** Equal as far as both are known. */
export function sameLink(a: Link, b: Link): boolean {
  return (
    a === b || (a.term === b.term && a.index === b.index && (a.hash === null || b.hash === null || a.hash === b.hash))
  );
}

export function idText({ term, index }: { readonly term: Term; readonly index: Index }): string {
  return `${term}/${index}`;
}
