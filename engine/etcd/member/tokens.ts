/**
 * How long simple tokens hold (etcd server/auth/simple_token.go): 300 s from their last use, each member by its own
 * clock and its own use. That they exist is replicated; that they are still good is not.
 */
import type { Micros } from "../../base/units.ts";
import type { Metadata } from "../api/methods.ts";
import type { Core } from "./core.ts";

/** No token that is made looks like this. */
const RUN_OUT = "";

export interface TokensCheckpoint {
  readonly usedAt: readonly (readonly [string, Micros])[];
}

export class Tokens {
  readonly #core: Core;
  /** When each was last used here, by the monotonic clock. */
  readonly #usedAt = new Map<string, Micros>();

  constructor(core: Core) {
    this.#core = core;
  }

  /** A token was given out; all members hear of it. */
  made(token: string, now: Micros): void {
    this.#usedAt.set(token, now);
  }

  /** A call came with it: it holds from now on again; or it has run out, and the call has one that is none. */
  used(metadata: Metadata, now: Micros): Metadata {
    const { token } = metadata;
    if (token === null || !this.#core.state.auth.enabled) return metadata;
    const last = this.#usedAt.get(token);
    if (last !== undefined && now - last >= this.#core.config.authTokenTtl) return { ...metadata, token: RUN_OUT };
    this.#usedAt.set(token, now);
    return metadata;
  }

  checkpoint(): TokensCheckpoint {
    return { usedAt: [...this.#usedAt] };
  }

  resume({ usedAt }: TokensCheckpoint): void {
    for (const [token, at] of usedAt) this.#usedAt.set(token, at);
  }
}
