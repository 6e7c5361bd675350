/** The listings of programs, by the program's name. */
import { ETCD_FAIR } from "./etcd-fair.ts";
import { type Language, type ListingLine, parseListing } from "./listing.ts";

const TEXTS: Readonly<Record<string, readonly [Readonly<Record<Language, string>>, "published" | "mended"]>> = {
  "etcd-fair-published": [ETCD_FAIR, "published"],
  "etcd-fair-mended": [ETCD_FAIR, "mended"],
};

export const LISTED: readonly string[] = Object.keys(TEXTS);

/** Null for a program without listings. */
export function listingOf(program: string, language: Language): readonly ListingLine[] | null {
  const known = TEXTS[program];
  return known === undefined ? null : parseListing(known[0][language], known[1]);
}
