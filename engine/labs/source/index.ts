/** The listings of every program, by its id. */
import { type ListingLanguage, type ListingLine, type Listings, parseListing } from "./listing.ts";

export { LANGUAGES, type ListingLanguage, type ListingLine } from "./listing.ts";

/** With each the program whose lines it is held against: the published one against the mended, and the reverse. */
interface Sourced {
  readonly listings: Listings;
  readonly other: string | null;
}

export const SOURCES: Readonly<Record<string, Sourced>> = {};

/** Empty when there is none. */
export function listingOf(program: string, language: ListingLanguage): readonly ListingLine[] {
  const sourced = SOURCES[program];
  if (sourced === undefined) return [];
  const other = sourced.other === null ? null : (SOURCES[sourced.other]?.listings[language] ?? null);
  return parseListing(sourced.listings[language], other);
}
