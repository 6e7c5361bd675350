import { memo } from "react";
import { clientName, type Note } from "../../engine/index.ts";
import type { Language } from "../i18n/language.ts";
import { Sentence } from "../i18n/sentence.tsx";
import { useLanguage } from "../i18n/use-text.ts";
import { useView } from "../store/use.ts";

const NAMES: ReadonlySet<string> = new Set(["process", "for", "from", "to", "leader", "member", "value"]);

/** What a process is called: the clients of a lab have letters. */
export function processName(id: string, inLab: boolean): string {
  return inLab && id.startsWith("c") ? clientName(id) : id;
}

function noteParts(language: Language, note: Note, inLab: boolean) {
  const process = note.process === null ? null : processName(note.process, inLab);
  return language.say("note", note.what, { ...note.figures, process });
}

/** One note in words, with its reason. */
export const NoteLine = memo(function NoteLine({ note }: { readonly note: Note }) {
  const inLab = useView((view) => view.lab !== null);
  return <Sentence parts={noteParts(useLanguage(), note, inLab)} strong={NAMES} />;
});

/** Notes that repeat what others say better: they are listed, but never the headline. */
const QUIET: ReadonlySet<string> = new Set([
  "applied",
  "appended",
  "became-follower",
  "leader-known",
  "network-changed",
  "write-asked",
  "pre-voted",
  "read-asked",
  "read-answered",
]);

/** The latest notes worth a line, newest first. */
export function latestNotes(notes: readonly Note[], count: number): readonly Note[] {
  const found: Note[] = [];
  for (let i = notes.length - 1; i >= 0 && found.length < count; i -= 1) {
    const note = notes[i];
    if (note !== undefined && !QUIET.has(note.what)) found.push(note);
  }
  return found;
}

export const noteKey = (note: Note): string =>
  `${note.event} ${note.what} ${note.process ?? ""} ${note.figures["to"] ?? ""}`;
