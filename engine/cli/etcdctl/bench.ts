/** A cluster with consoles at it, on which a recorded session runs. */
import type { Micros } from "../../base/units.ts";
import type { Bytes } from "../../etcd/api/bytes.ts";
import type { Names } from "./normaliser.ts";

/** What a console has printed so far, and how its command ended; null while it runs. */
export interface Printed {
  readonly stdout: Bytes;
  readonly stderr: Bytes;
  readonly code: number | null;
}

/** Consoles are numbered from 0; each runs one command at a time. They share their files. */
export interface Bench {
  readonly names: Names;
  readonly consoles: number;
  /** @param stdin what is piped in; null: it is typed with `type` */
  run(console: number, args: readonly string[], stdin: Bytes | null): void;
  type(console: number, text: string): void;
  end(console: number): void;
  interrupt(console: number): void;
  /** Its machine is gone, without a word to the servers. */
  vanish(console: number): void;
  printed(console: number): Printed;
  /** Lets time go on until `condition`, at most so long. Whether it came. */
  until(condition: () => boolean, limit: Micros): Promise<boolean>;
  /** Until every running member knows the same leader and has applied the same. */
  settle(): Promise<void>;
  /** Whether the lease (16 hexadecimal digits) is gone. */
  leaseGone(id: string): boolean | Promise<boolean>;
  kill(member: string): Promise<void>;
  restart(member: string): Promise<void>;
  /** A member that was added starts for the first time. */
  join(member: string): Promise<void>;
  close(): Promise<void>;
}

export interface SessionHead {
  readonly session: string;
  readonly members: number;
  readonly server?: readonly string[];
}
