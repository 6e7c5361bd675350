/**
 * A language at work: sentences with their figures, numbers and times by Intl.
 *
 * Notes, rules and refusals come from the engine by name, with figures that no type here knows. `say` finds their
 * sentence by key, falls back to the `.plain` one when figures are missing, and to the bare name when there is none:
 * an engine that tells of something new never breaks the page.
 */
import type { Dictionary, Figure, FigureArgs, Phrase, TextKey } from "./dictionary.ts";
import { enFirst } from "./en-first.ts";

export type Lang = "en" | "zh-CN";

/** What is here of each language: of English the first part always, the rest and other languages when asked for. */
const dictionaries = new Map<Lang, Partial<Dictionary>>([["en", enFirst]]);
const whole = new Set<Lang>();
const listeners = new Set<() => void>();

/** Fetches all of a language; `languageOf` gives it from then on. */
export async function loadLang(lang: Lang): Promise<void> {
  if (whole.has(lang)) return;
  dictionaries.set(lang, lang === "en" ? (await import("./en.ts")).en : (await import("./zh.ts")).zh);
  whole.add(lang);
  languages.delete(lang);
  for (const listener of listeners) listener();
}

/** Calls back when more of a language has come. */
export function onLoaded(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A stretch of a sentence; a figure keeps its name, so that a process can be set in bold. */
export type Part = string | { readonly name: string; readonly value: string };

export type LooseFigures = Readonly<Record<string, string | number | null | undefined>>;

/** What the engine tells of by name: events, reasons, refused commands, broken rules. */
export type Family = "note" | "rule" | "refusal" | "breach";

export interface Language {
  readonly lang: Lang;
  readonly text: <Key extends TextKey>(key: Key, ...args: FigureArgs<Key>) => string;
  /** A sentence by a key known only at run time: `note`, `rule`, `refusal` and the name of the thing. */
  readonly say: (family: Family, name: string, figures: LooseFigures) => readonly Part[];
  readonly sayText: (family: Family, name: string, figures: LooseFigures) => string;
  /** The text of a key known only at run time, or null. */
  readonly find: (key: string) => string | null;
  readonly number: (value: number, digits?: number) => string;
  /** Microseconds as seconds, to the millisecond: "9.412 s". */
  readonly seconds: (micros: number, digits?: number) => string;
  /** Microseconds as milliseconds: "150 ms". */
  readonly millis: (micros: number) => string;
  readonly percent: (perMillion: number) => string;
  readonly list: (items: readonly string[]) => string;
}

function sentenceOf(phrase: Phrase, rules: Intl.PluralRules, count: Figure | null | undefined): string {
  if (typeof phrase === "string") return phrase;
  const category = rules.select(typeof count === "number" ? count : Number.NaN);
  return (category === "one" ? phrase.one : undefined) ?? phrase.other;
}

/** Splits a sentence at its figures; null when one of them is missing. */
function fill(sentence: string, value: (name: string) => string | null): readonly Part[] | null {
  const parts: Part[] = [];
  let from = 0;
  for (const match of sentence.matchAll(/\{(\w+)\}/gu)) {
    const name = match[1] ?? "";
    const filled = value(name);
    if (filled === null) return null;
    if (match.index > from) parts.push(sentence.slice(from, match.index));
    parts.push({ name, value: filled });
    from = match.index + match[0].length;
  }
  if (from < sentence.length) parts.push(sentence.slice(from));
  return parts;
}

export function joinParts(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === "string" ? part : part.value)).join("");
}

function createLanguage(lang: Lang): Language {
  const dictionary: Partial<Dictionary> = dictionaries.get(lang) ?? enFirst;
  const rules = new Intl.PluralRules(lang);
  const numbers = new Map<number, Intl.NumberFormat>();
  const percents = new Intl.NumberFormat(lang, { style: "percent", maximumFractionDigits: 1 });
  const lists = new Intl.ListFormat(lang, { style: "long", type: "conjunction" });

  const number = (value: number, digits = 0): string => {
    let format = numbers.get(digits);
    if (format === undefined) {
      format = new Intl.NumberFormat(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits });
      numbers.set(digits, format);
    }
    return format.format(value);
  };
  const plain = (value: Figure): string => (typeof value === "number" ? String(value) : value);

  const phrase = (key: string): Phrase | undefined => {
    if (Object.hasOwn(dictionary, key)) return dictionary[key as TextKey];
    void loadLang(lang);
    return undefined;
  };

  const text = <Key extends TextKey>(key: Key, ...args: FigureArgs<Key>): string => {
    const figures: Readonly<Record<string, Figure>> = args[0] ?? {};
    const known = phrase(key);
    if (known === undefined) return ""; // it is on its way
    const sentence = sentenceOf(known, rules, figures["count"]);
    const parts = fill(sentence, (name) => {
      const value = figures[name];
      return value === undefined ? "" : plain(value);
    });
    return joinParts(parts ?? [sentence]);
  };

  const say = (family: Family, name: string, figures: LooseFigures): readonly Part[] => {
    const value = (figure: string): string | null => {
      const raw = figures[figure];
      if (raw === null || raw === undefined || raw === "") return null;
      if (figure === "rule") return sayText("rule", String(raw), figures);
      if (figure === "role") return sentenceOf(phrase(`role.${raw}`) ?? String(raw), rules, null);
      // The place of an entry travels as "term/index": both languages put it in words.
      const place = typeof raw === "string" ? /^(\d+)\/(\d+)$/u.exec(raw) : null;
      if (place?.[2] === "0") return text("entry.none");
      if (place?.[1] === "0") return text("entry.missing");
      if (place !== null) return text("entry.place", { term: place[1] ?? "", index: place[2] ?? "" });
      return plain(raw);
    };
    for (const key of [`${family}.${name}`, `${family}.${name}.plain`]) {
      const known = phrase(key);
      const parts = known === undefined ? null : fill(sentenceOf(known, rules, figures["count"]), value);
      if (parts !== null) return parts;
    }
    if (!whole.has(lang)) return []; // it is on its way
    // Nothing fits: the bare sentence with gaps if there is one, and the thing's own name otherwise.
    const known = phrase(`${family}.${name}.plain`) ?? phrase(`${family}.${name}`);
    if (known !== undefined)
      return fill(sentenceOf(known, rules, figures["count"]), (figure) => value(figure) ?? "–") ?? [name];
    const bare = { what: name, rule: name, process: figures["process"] ?? null };
    const fallback = bare.process === null ? phrase(`${family}.unknown.plain`) : undefined;
    const sentence = sentenceOf(fallback ?? phrase(`${family}.unknown`) ?? name, rules, null);
    return fill(sentence, (figure) => String(bare[figure as keyof typeof bare] ?? "–")) ?? [name];
  };
  const sayText = (family: Family, name: string, figures: LooseFigures): string =>
    joinParts(say(family, name, figures));

  return {
    lang,
    text,
    say,
    sayText,
    find: (key) => {
      const known = phrase(key);
      return known === undefined ? null : sentenceOf(known, rules, null);
    },
    number,
    seconds: (micros, digits = 3) => `${number(micros / 1_000_000, digits)} s`,
    millis: (micros) => `${number(micros / 1_000, micros % 1_000 === 0 ? 0 : 1)} ms`,
    percent: (perMillion) => percents.format(perMillion / 1_000_000),
    list: (items) => lists.format(items),
  };
}

const languages = new Map<Lang, Language>();

export function languageOf(lang: Lang): Language {
  const known = languages.get(lang);
  if (known !== undefined) return known;
  const made = createLanguage(lang);
  languages.set(lang, made);
  return made;
}

/** The first of the wanted languages that we speak: "zh", "zh-CN", "zh-Hans-SG" all mean the one Chinese we have. */
export function pickLang(wanted: readonly (string | null | undefined)[]): Lang {
  for (const tag of wanted) {
    const base = tag?.toLowerCase().split("-")[0];
    if (base === "zh") return "zh-CN";
    if (base === "en") return "en";
  }
  return "en";
}
