/** The listings of every program, by its id. */
import { ETCD_FAIR_MENDED, ETCD_FAIR_PUBLISHED } from "./etcd-fair.ts";
import { type ListingLanguage, type ListingLine, type Listings, parseListing } from "./listing.ts";

export { LANGUAGES, type ListingLanguage, type ListingLine } from "./listing.ts";

/** With each the program whose lines it is held against: the published one against the mended, and the reverse. */
interface Sourced {
  readonly listings: Listings;
  readonly other: string | null;
}

export const SOURCES: Readonly<Record<string, Sourced>> = {
  "etcd-fair-published": { listings: ETCD_FAIR_PUBLISHED, other: "etcd-fair-mended" },
  "etcd-fair-mended": { listings: ETCD_FAIR_MENDED, other: "etcd-fair-published" },
};

/** Empty when there is none. */
export function listingOf(program: string, language: ListingLanguage): readonly ListingLine[] {
  const sourced = SOURCES[program];
  if (sourced === undefined) return [];
  const other = sourced.other === null ? null : (SOURCES[sourced.other]?.listings[language] ?? null);
  return parseListing(sourced.listings[language], other);
}
