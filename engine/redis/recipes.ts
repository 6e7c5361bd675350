/**
 * The parts of Redis lock recipes that are not steps: the scripts, and Redlock's arithmetic.
 *
 * The scripts are those of Redis's own page on distributed locks, with the token as value; the timestamp lock's rule is
 * that of the old SETNX page. Times are milliseconds.
 */

/** KEYS[1] lock, ARGV[1] token. 1: it was ours and is gone; 0: it was not. */
export const RELEASE_SCRIPT =
  "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('del',KEYS[1]) else return 0 end";

/** KEYS[1] lock, ARGV[1] token, ARGV[2] ms. 1: it is ours for that long from now. */
export const RENEW_SCRIPT =
  "if redis.call('get',KEYS[1]) == ARGV[1] then return redis.call('pexpire',KEYS[1],ARGV[2]) else return 0 end";

/**
 * KEYS[1] lock, KEYS[2] counter, ARGV[1] token, ARGV[2] ms. The fencing number of a lock that was taken, or nil. A
 * failover that loses the write loses the count too, and gives the same number twice.
 */
export const ACQUIRE_FENCED_SCRIPT =
  "if redis.call('set',KEYS[1],ARGV[1],'NX','PX',ARGV[2]) then return redis.call('incr',KEYS[2]) else return false end";

/**
 * KEYS[1] lock (a hash of owner and count), ARGV[1] ms, ARGV[2] owner. nil: taken, again perhaps; else the ms that the
 * present owner has left. A reentrant lock.
 */
export const ACQUIRE_REENTRANT_SCRIPT =
  "if redis.call('exists',KEYS[1]) == 0 or redis.call('hexists',KEYS[1],ARGV[2]) == 1 then redis.call('hincrby',KEYS[1],ARGV[2],1) redis.call('pexpire',KEYS[1],ARGV[1]) return nil end return redis.call('pttl',KEYS[1])";

/** KEYS[1] lock, KEYS[2] channel, ARGV[1] ms, ARGV[2] owner. nil: not the owner; 0: still held; 1: free, and told. */
export const RELEASE_REENTRANT_SCRIPT =
  "if redis.call('hexists',KEYS[1],ARGV[2]) == 0 then return nil end if redis.call('hincrby',KEYS[1],ARGV[2],-1) > 0 then redis.call('pexpire',KEYS[1],ARGV[1]) return 0 end redis.call('del',KEYS[1]) redis.call('publish',KEYS[2],'released') return 1";

/** SET key token NX PX ms. */
export function acquireCommand(key: string, token: string, ms: number): readonly string[] {
  return ["SET", key, token, "NX", "PX", String(ms)];
}
export function releaseCommand(key: string, token: string): readonly string[] {
  return ["EVAL", RELEASE_SCRIPT, "1", key, token];
}
export function renewCommand(key: string, token: string, ms: number): readonly string[] {
  return ["EVAL", RENEW_SCRIPT, "1", key, token, String(ms)];
}
export function acquireFencedCommand(key: string, counter: string, token: string, ms: number): readonly string[] {
  return ["EVAL", ACQUIRE_FENCED_SCRIPT, "2", key, counter, token, String(ms)];
}

/** How many of the servers must have agreed. */
export function quorum(servers: number): number {
  return Math.floor(servers / 2) + 1;
}

/** What clocks may differ by over that time: 1 %, and 2 ms for the precision of expiry. */
export function drift(ms: number): number {
  return Math.round(ms * 0.01) + 2;
}

/** How long a lock that was taken on a majority may be relied on, from the end of taking it. Not above 0: not at all. */
export function validity(ms: number, elapsedMs: number): number {
  return ms - elapsedMs - drift(ms);
}

export type RedlockVerdict =
  | { readonly type: "acquired"; readonly validMs: number }
  /** Release everywhere, wait a random time, try again. */
  | {
      readonly type: "failed";
      readonly why: "no-quorum" | "no-time-left";
      readonly granted: number;
      readonly needed: number;
    };

export function judgeRedlock(servers: number, granted: number, ms: number, elapsedMs: number): RedlockVerdict {
  const needed = quorum(servers);
  const validMs = validity(ms, elapsedMs);
  if (granted < needed) return { type: "failed", why: "no-quorum", granted, needed };
  if (validMs <= 0) return { type: "failed", why: "no-time-left", granted, needed };
  return { type: "acquired", validMs };
}

/** The timestamp lock: whether the time that the key shows is over by the client's own clock. */
export function isTimestampOver(value: string, nowMs: number): boolean {
  return Number(value) < nowMs;
}
/** It owns the lock if GETSET gave back just what GET had shown. */
export function wonTakeover(shown: string, getsetGave: string | null): boolean {
  return shown === getsetGave;
}
