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
  /** What a client's request needs: a command in the log; or the state, as of now (`linearizable`) or as it is here. */
  plan(request: unknown): { readonly command: Uint8Array } | { readonly read: "linearizable" | "serializable" };
  /** Answers a request that reads. */
  read(request: unknown): unknown;
  /** A few characters that tell a command in a picture of the log. */
  label(command: Uint8Array): string;
  /** The state in a few characters, for a picture of the member; null when there is nothing yet. */
  summary(): string | null;
  snapshot(): Uint8Array;
  restore(snapshot: Uint8Array): void;
}
