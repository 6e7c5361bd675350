/**
 * A ZooKeeper client for lab programs. A watch here is a listener for one path (a latch): what sets the server's watch is a
 * call that asks for it. Listeners hear also of the connection's own events, as a Java program's Watcher does.
 */
import type { Micros } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { Env, Input, Stamp } from "../../sim/process.ts";
import { rngFromState } from "../../base/rng.ts";
import type { Answer, Call } from "../../zookeeper/api.ts";
import { type ZkCheckpoint, ZkConn } from "../../zookeeper/client.ts";
import type { Driver, DriverOutcome } from "../driver.ts";

export type ZkRequest =
  | { readonly type: "call"; readonly call: Call }
  | { readonly type: "listen"; readonly path: string };

/** An event of a node, or of the connection. */
export interface ZkTold {
  readonly type: string;
}

interface Saved {
  readonly conn: ZkCheckpoint;
  readonly listeners: readonly (readonly [number, string])[];
  readonly count: number;
  readonly forgotten: readonly number[];
  readonly stamp: Stamp;
}

export class ZkDriver implements Driver {
  readonly #conn: ZkConn;
  #stamp: Stamp = { mono: 0, wall: 0, awake: 0 };
  #listeners = new Map<number, string>();
  #count = 0;
  #forgotten = new Set<number>();

  constructor(servers: readonly ProcessId[], env: Env, timeout: Micros) {
    const rng = rngFromState(env.rng.state().map((word, i) => (i === 0 ? word ^ 0x5bd1e995 : word)));
    this.#conn = new ZkConn(env.id, { servers, timeout, watchesAgain: true }, env.out, rng);
  }

  call(asked: object): number {
    const request = asked as ZkRequest;
    if (request.type !== "call") throw new Error("a listener is not a call");
    return this.#conn.request(request.call, this.#stamp);
  }

  watch(asked: object): number {
    const request = asked as ZkRequest;
    if (request.type !== "listen") throw new Error("not a listener");
    this.#count += 1;
    this.#listeners.set(this.#count, request.path);
    return this.#count;
  }

  unwatch(watch: number): void {
    this.#listeners.delete(watch);
  }

  forget(ticket: number): void {
    this.#forgotten.add(ticket);
  }

  on(input: Input, stamp: Stamp): readonly DriverOutcome[] {
    this.#stamp = { ...stamp };
    if (input.type === "boot") this.#conn.start(input.incarnation, stamp);
    this.#conn.step(input, stamp);
    return this.take();
  }

  take(): readonly DriverOutcome[] {
    return this.#conn.take().flatMap((notice): readonly DriverOutcome[] => {
      switch (notice.type) {
        case "reply": {
          const { xid: ticket, answer } = notice;
          if (this.#forgotten.delete(ticket)) return [];
          if (answer.err === "OK") return [{ type: "answer", ticket, body: answer satisfies Answer }];
          return [{ type: "error", ticket, error: answer.err, unknown: answer.err === "ConnectionLoss" }];
        }
        case "event":
          return [...this.#listeners]
            .filter(([, path]) => path === notice.event.path)
            .map(([watch]) => ({ type: "event", watch, event: { type: notice.event.type } satisfies ZkTold }));
        case "state":
          if (notice.state === "SyncConnected") return [];
          return [...this.#listeners].map(([watch]) => ({ type: "event", watch, event: { type: notice.state } }));
      }
    });
  }

  wakeAt(): Micros | null {
    return this.#conn.wakeAt(this.#stamp);
  }

  checkpoint(): unknown {
    const saved: Saved = {
      conn: this.#conn.checkpoint(),
      listeners: [...this.#listeners],
      count: this.#count,
      forgotten: [...this.#forgotten],
      stamp: this.#stamp,
    };
    return saved;
  }

  restore(checkpoint: unknown): void {
    const { conn, listeners, count, forgotten, stamp } = checkpoint as Saved;
    this.#conn.restore(conn);
    this.#listeners = new Map(listeners);
    this.#count = count;
    this.#forgotten = new Set(forgotten);
    this.#stamp = stamp;
  }
}
