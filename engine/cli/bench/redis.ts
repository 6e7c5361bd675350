/** What a SET or a GET costs one Redis server, with no world around it: commands come in batches, as pipelining brings them. */
import { rngFor } from "../../base/rng.ts";
import { RedisServer } from "../../redis/server.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { Out, Stamp } from "../../sim/process.ts";
import { type Measured, median, spread, stopwatch } from "./benchmark.ts";

const BATCH = 64;
const KEYS = 10_000;
const COUNT = 100_000;
const VALUE = "x".repeat(64);
const CONNECTION = "c/1/1";

class Bench {
  readonly #stamp: Stamp = { mono: 0, wall: 1_800_000_000_000_000, awake: 0 };
  readonly #server: RedisServer;
  #n = 0;
  answered = 0;

  constructor() {
    const nothing = (): void => undefined;
    const out: Out = {
      send: nothing,
      wake: nothing,
      append: nothing,
      truncate: nothing,
      remove: nothing,
      sync: nothing,
      open: nothing,
      close: nothing,
      transmit: () => {
        this.answered += 1;
      },
      emit: null,
    };
    const id = "redis" as ProcessId;
    this.#server = new RedisServer({ replicaOf: null, peers: [], options: [] }, { id, rng: rngFor(1, "redis"), out });
    const settings = { preVote: false, checkQuorum: false, readOnly: "safe", broken: [] } as const;
    this.#server.step({ type: "boot", incarnation: 1, files: [], settings }, this.#stamp);
    this.#server.step({ type: "accepted", connection: CONNECTION, from: "c" as ProcessId }, this.#stamp);
    this.#server.flush(this.#stamp);
  }

  /** @returns commands a second */
  rate(make: (i: number) => readonly string[]): number {
    const spent = stopwatch();
    for (let done = 0; done < COUNT; done += BATCH) {
      for (let i = done; i < done + BATCH; i += 1) {
        this.#n += 1;
        const data = { type: "cmd", n: this.#n, args: make(i) };
        this.#server.step({ type: "received", connection: CONNECTION, data }, this.#stamp);
      }
      this.#server.flush(this.#stamp);
    }
    return COUNT / (spent() / 1_000);
  }
}

/** Half SET, half GET, over 10,000 keys of 64 bytes. */
export function measureRedis(): Measured {
  const bench = new Bench();
  const make = (i: number): readonly string[] =>
    i % 2 === 0 ? ["SET", `key:${i % KEYS}`, VALUE] : ["GET", `key:${(i * 7) % KEYS}`];
  for (let i = 0; i < 2; i += 1) bench.rate(make);
  const rates = Array.from({ length: 7 }, () => bench.rate(make));
  return { value: median(rates), note: `batches of ${BATCH}, ${bench.answered} answers; ${spread(rates)}` };
}
