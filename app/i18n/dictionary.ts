/** The types of the dictionaries: keys, plural forms, and the figures that a sentence asks for. */
import type { en } from "./en.ts";

export type English = typeof en;
export type TextKey = keyof English;

/** A sentence, or its plural forms by the categories of `Intl.PluralRules`, chosen by the figure `count`. */
export type Phrase = string | { readonly one?: string; readonly other: string };

/** What every language gives: each key, no other. */
export type Dictionary = { readonly [Key in TextKey]: Phrase };

type NamesIn<Sentence extends string> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesIn<Rest>
  : never;

type SentenceOf<P> = P extends string ? P : P extends { readonly other: infer Other extends string } ? Other : never;

export type FigureNames<Key extends TextKey> = NamesIn<SentenceOf<English[Key]>>;

export type Figure = string | number;
export type Figures<Key extends TextKey> = { readonly [Name in FigureNames<Key>]: Figure };

/** The rest of the arguments: figures where the sentence has any, and nothing where it has none. */
export type FigureArgs<Key extends TextKey> = [FigureNames<Key>] extends [never] ? [] : [figures: Figures<Key>];
