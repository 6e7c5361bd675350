/** The listings of every program, by its id. */
import { BY_HAND } from "./by-hand.ts";
import { ETCD_ELECTION_MENDED, ETCD_ELECTION_OBSERVER, ETCD_ELECTION_PUBLISHED } from "./etcd-election.ts";
import { ETCD_USES_FOLLOWER, ETCD_USES_MENDED, ETCD_USES_PUBLISHED, ETCD_USES_PUBLISHER } from "./etcd-uses.ts";
import {
  ETCD_FAIR_GUARDED,
  ETCD_FAIR_HERD,
  ETCD_FAIR_MENDED,
  ETCD_FAIR_MENDED_NOTING,
  ETCD_FAIR_PUBLISHED,
  ETCD_FAIR_PUBLISHED_NOTING,
} from "./etcd-fair.ts";
import { ETCD_MUTEX_34, ETCD_MUTEX_35 } from "./etcd-mutex.ts";
import { ETCD_SERVICE } from "./etcd-service.ts";
import { ETCD_TXN_PUBLISHED, ETCD_TXN_RETRY, ETCD_TXN_WATCH } from "./etcd-txn.ts";
import { type ListingLanguage, type ListingLine, type Listings, parseListing } from "./listing.ts";
import { OPTIMISTIC } from "./optimistic.ts";
import { REDIS_TIMESTAMP_IF_LIVE, REDIS_TIMESTAMP_MENDED, REDIS_TIMESTAMP_PUBLISHED } from "./redis-timestamp.ts";
import { REDIS_TOKEN, REDIS_TOKEN_FENCED } from "./redis-token.ts";
import { REDLOCK } from "./redlock.ts";
import {
  ZOOKEEPER_ASKS_OWNER,
  ZOOKEEPER_BY_TEXT,
  ZOOKEEPER_HERD,
  ZOOKEEPER_MENDED,
  ZOOKEEPER_NO_REWATCH,
  ZOOKEEPER_PUBLISHED,
  ZOOKEEPER_TAKES_FOUND,
} from "./zookeeper.ts";

export { LANGUAGES, type ListingLanguage, type ListingLine } from "./listing.ts";

/** With each the program whose lines it is held against: the published one against the mended, and the reverse. */
interface Sourced {
  readonly listings: Listings;
  readonly other: string | null;
}

export const SOURCES: Readonly<Record<string, Sourced>> = {
  "etcd-fair-published": { listings: ETCD_FAIR_PUBLISHED, other: "etcd-fair-mended" },
  "etcd-fair-mended": { listings: ETCD_FAIR_MENDED, other: "etcd-fair-published" },
  "etcd-fair-guarded": { listings: ETCD_FAIR_GUARDED, other: "etcd-fair-mended" },
  "etcd-fair-herd": { listings: ETCD_FAIR_HERD, other: "etcd-fair-mended" },
  "etcd-fair-published-noting": { listings: ETCD_FAIR_PUBLISHED_NOTING, other: "etcd-fair-mended-noting" },
  "etcd-fair-mended-noting": { listings: ETCD_FAIR_MENDED_NOTING, other: "etcd-fair-published-noting" },
  "etcd-mutex-service": { listings: ETCD_SERVICE, other: null },
  "etcd-by-hand": { listings: BY_HAND, other: null },
  "redis-by-hand": { listings: BY_HAND, other: null },
  "zookeeper-by-hand": { listings: BY_HAND, other: null },
  "redis-timestamp-if-live": { listings: REDIS_TIMESTAMP_IF_LIVE, other: "redis-timestamp-mended" },
  "etcd-txn-published": { listings: ETCD_TXN_PUBLISHED, other: "etcd-txn-retry" },
  "etcd-txn-retry": { listings: ETCD_TXN_RETRY, other: "etcd-txn-published" },
  "etcd-txn-watch": { listings: ETCD_TXN_WATCH, other: "etcd-txn-published" },
  "etcd-mutex-3.4": { listings: ETCD_MUTEX_34, other: "etcd-mutex-3.5" },
  "etcd-mutex-3.5": { listings: ETCD_MUTEX_35, other: "etcd-mutex-3.4" },
  "etcd-election-published": { listings: ETCD_ELECTION_PUBLISHED, other: "etcd-election-mended" },
  "etcd-election-mended": { listings: ETCD_ELECTION_MENDED, other: "etcd-election-published" },
  "etcd-election-observer": { listings: ETCD_ELECTION_OBSERVER, other: null },
  "etcd-uses-published": { listings: ETCD_USES_PUBLISHED, other: "etcd-uses-mended" },
  "etcd-uses-mended": { listings: ETCD_USES_MENDED, other: "etcd-uses-published" },
  "etcd-uses-follower": { listings: ETCD_USES_FOLLOWER, other: null },
  "etcd-uses-publisher": { listings: ETCD_USES_PUBLISHER, other: null },
  "redis-timestamp-published": { listings: REDIS_TIMESTAMP_PUBLISHED, other: "redis-timestamp-mended" },
  "redis-timestamp-mended": { listings: REDIS_TIMESTAMP_MENDED, other: "redis-timestamp-published" },
  "redis-token-published": { listings: REDIS_TOKEN, other: "redis-token-counted" },
  "redis-token-counted": { listings: REDIS_TOKEN_FENCED, other: "redis-token-published" },
  "redlock-published": { listings: REDLOCK, other: null },
  "optimistic-published": { listings: OPTIMISTIC, other: null },
  "zookeeper-published": { listings: ZOOKEEPER_PUBLISHED, other: "zookeeper-mended" },
  "zookeeper-mended": { listings: ZOOKEEPER_MENDED, other: "zookeeper-published" },
  "zookeeper-herd": { listings: ZOOKEEPER_HERD, other: "zookeeper-mended" },
  "zookeeper-no-rewatch": { listings: ZOOKEEPER_NO_REWATCH, other: "zookeeper-mended" },
  "zookeeper-by-text": { listings: ZOOKEEPER_BY_TEXT, other: "zookeeper-mended" },
  "zookeeper-takes-found": { listings: ZOOKEEPER_TAKES_FOUND, other: "zookeeper-asks-owner" },
  "zookeeper-asks-owner": { listings: ZOOKEEPER_ASKS_OWNER, other: "zookeeper-takes-found" },
};

/** Empty when there is none. */
export function listingOf(program: string, language: ListingLanguage): readonly ListingLine[] {
  const sourced = SOURCES[program];
  if (sourced === undefined) return [];
  const other = sourced.other === null ? null : (SOURCES[sourced.other]?.listings[language] ?? null);
  return parseListing(sourced.listings[language], other);
}
