/**
 * What a replica runs on its log: a deterministic state machine, and what it says to the clients that ask it.
 *
 * etcd's store and ZooKeeper's tree are such machines; the register (`register.ts`) is the smallest. A machine that is
 * given the same entries in the same order is in the same state: nothing else may change it.
 */
import type { Stamp } from "../sim/process.ts";

export interface Machine {
  /** Applies one committed command and answers it. Only the member that the client asked passes the answer on. */
  apply(command: Uint8Array, stamp: Stamp): unknown;
  /** A client's request as a command for the log, or an answer at once when it is refused or needs no log. */
  propose(request: unknown): { readonly command: Uint8Array } | { readonly answer: unknown };
  /** A few characters that tell a command in a picture of the log. */
  label(command: Uint8Array): string;
  /** The state in a few characters, for a picture of the member; null when there is nothing yet. */
  summary(): string | null;
  snapshot(): Uint8Array;
  restore(snapshot: Uint8Array): void;
}
