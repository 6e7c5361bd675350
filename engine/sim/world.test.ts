import { beforeEach, describe, expect, it } from "vitest";
import { MS } from "../base/units.ts";
import type { Command, LinkQuality, ProcessId, Settings } from "./command.ts";
import type { TraceEvent, WorldEvent } from "./events.ts";
import { InlineHost } from "./host.ts";
import type { Env, Input, Process, ProcessSpec, Stamp } from "./process.ts";
import { World } from "./world.ts";

const A = "n1" as ProcessId;
const B = "n2" as ProcessId;
const C = "c1" as ProcessId;
const STEADY: LinkQuality = {
  latencyMin: 10 * MS,
  latencyMax: 10 * MS,
  lossPerMillion: 0,
  duplicatePerMillion: 0,
  reorderPerMillion: 0,
};
const SETTINGS: Settings = { preVote: false, checkQuorum: true, readOnly: "safe", broken: [] };

/** Writes down its inputs, and does what it is asked to. */
class Probe implements Process {
  readonly seen: { readonly input: Input; readonly stamp: Stamp }[] = [];
  readonly env: Env;
  constructor(env: Env) {
    this.env = env;
  }
  step(input: Input, stamp: Stamp): void {
    this.seen.push({ input, stamp: { ...stamp } });
    if (input.type === "message" && input.message === "throw") throw new Error("asked to throw");
  }
  flush(): void {}
  checkpoint(): unknown {
    return [...this.seen];
  }
  restore(checkpoint: unknown): void {
    this.seen.push(...(checkpoint as Probe["seen"]));
  }
}

let probes: Map<ProcessId, Probe>;
let events: TraceEvent[];
let world: World;
let host: InlineHost;

function start(network: Partial<LinkQuality> = {}, torn = false): void {
  probes = new Map();
  events = [];
  host = new InlineHost((spec: ProcessSpec, env: Env) => {
    const probe = new Probe(env);
    probes.set(spec.id, probe);
    return probe;
  });
  const processes: ProcessSpec[] = [
    { id: A, kind: "member", config: null, present: true },
    { id: B, kind: "member", config: null, present: true },
    { id: C, kind: "client", config: null, present: true },
  ];
  const config = {
    seed: 1,
    processes,
    network: { ...STEADY, ...network },
    disk: { fsyncMin: 2 * MS, fsyncMax: 2 * MS, tornWrites: torn },
    settings: SETTINGS,
  };
  world = new World(config, (event) => events.push({ ...event }));
  world.runHere(host, 0);
}

const probe = (id: ProcessId): Probe => probes.get(id) as Probe;
const inputs = (id: ProcessId): Input[] => probe(id).seen.map(({ input }) => input);
const messages = (id: ProcessId): unknown[] =>
  inputs(id).flatMap((input) => (input.type === "message" ? [input.message] : []));
const run = (ms: number): void => world.runHere(host, world.now + ms * MS);
const order = (command: Command) => world.command(command, host);
const happened = (type: WorldEvent["type"]): TraceEvent<WorldEvent>[] =>
  (events as TraceEvent<WorldEvent>[]).filter(({ event }) => event.type === type);

beforeEach(() => start());

describe("datagrams", () => {
  it("arrive after the link's latency, and the arrival names the sending as its cause", () => {
    probe(A).env.out.send(B, "hello");
    run(9);
    expect(messages(B)).toEqual([]);
    run(1);
    expect(messages(B)).toEqual(["hello"]);
    const [sent] = happened("sent");
    const [delivered] = happened("delivered");
    expect(delivered?.cause).toBe(sent?.id);
    expect(delivered?.at).toBe(10 * MS);
  });

  it("keep their order on a link that does not reorder, and lose it on one that does", () => {
    const inOrder = (reorderPerMillion: number): boolean => {
      start({ latencyMin: 1 * MS, latencyMax: 50 * MS, reorderPerMillion });
      const sent = Array.from({ length: 40 }, (_, i) => i);
      for (const i of sent) probe(A).env.out.send(B, i);
      run(200);
      expect([...messages(B)].sort((a, b) => Number(a) - Number(b))).toEqual(sent);
      return messages(B).every((message, i) => message === i);
    };
    expect(inOrder(0)).toBe(true);
    expect(inOrder(1_000_000)).toBe(false);
  });

  it("are lost and doubled as often as the link's quality says", () => {
    start({ lossPerMillion: 300_000, duplicatePerMillion: 500_000 });
    for (let i = 0; i < 2_000; i += 1) probe(A).env.out.send(B, i);
    run(100);
    const lost = happened("sent").filter(({ event }) => event.type === "sent" && event.lost === "loss").length;
    expect(lost / 2_000).toBeCloseTo(0.3, 1);
    expect(messages(B).length / (2_000 - lost)).toBeCloseTo(1.5, 1);
  });

  it("on a cut link are lost, those under way too; one direction only if only one is cut", () => {
    probe(A).env.out.send(B, "under way");
    order({ type: "cut", links: [{ from: A, to: B }] });
    probe(A).env.out.send(B, "sent into the cut");
    probe(B).env.out.send(A, "the other way");
    run(20);
    expect(messages(B)).toEqual([]);
    expect(messages(A)).toEqual(["the other way"]);
    order({ type: "heal" });
    probe(A).env.out.send(B, "after");
    run(20);
    expect(messages(B)).toEqual(["after"]);
  });

  it("to a process that is down are lost on arrival", () => {
    order({ type: "crash", process: B });
    probe(A).env.out.send(B, "hello");
    run(10);
    expect(happened("lost").map(({ event }) => event)).toEqual([{ type: "lost", message: 1, why: "receiver-down" }]);
  });

  it("can be held, released, dropped and doubled by hand", () => {
    for (const word of ["held", "dropped", "doubled"]) probe(A).env.out.send(B, word);
    expect(order({ type: "hold", message: 1 })).toBeNull();
    expect(order({ type: "drop", message: 2 })).toBeNull();
    expect(order({ type: "duplicate", message: 3 })).toBeNull();
    run(30);
    expect(messages(B)).toEqual(["doubled", "doubled"]);
    expect(order({ type: "release", message: 1 })).toBeNull();
    run(10);
    expect(messages(B)).toEqual(["doubled", "doubled", "held"]);
  });
});

describe("a paused process", () => {
  it("takes nothing until it is resumed, then everything in order, and its awake time has stood still", () => {
    order({ type: "pause", process: B });
    probe(A).env.out.send(B, 1);
    probe(A).env.out.send(B, 2);
    run(50);
    expect(messages(B)).toEqual([]);
    order({ type: "resume", process: B });
    run(0);
    expect(messages(B)).toEqual([1, 2]);
    expect(probe(B).seen.at(-1)?.stamp).toMatchObject({ mono: 50 * MS, awake: 0 });
  });

  it("is woken when it is resumed, to see what was due meanwhile, and then as much later as it was paused", () => {
    probe(B).env.out.wake(30 * MS);
    run(10);
    order({ type: "pause", process: B });
    run(100);
    expect(inputs(B).at(-1)?.type).toBe("boot");
    order({ type: "resume", process: B });
    run(0);
    expect(inputs(B).at(-1)?.type).toBe("wake");
    probe(B).env.out.wake(30 * MS);
    const before = inputs(B).length;
    run(19);
    expect(inputs(B)).toHaveLength(before);
    run(1);
    expect(inputs(B).at(-1)?.type).toBe("wake");
  });
});

describe("a wake", () => {
  it("comes once at the instant that was asked for last", () => {
    probe(A).env.out.wake(10 * MS);
    probe(A).env.out.wake(30 * MS);
    probe(A).env.out.wake(20 * MS);
    run(100);
    expect(
      probe(A)
        .seen.filter(({ input }) => input.type === "wake")
        .map(({ stamp }) => stamp.awake),
    ).toEqual([20 * MS]);
  });

  it("does not come when it was called off", () => {
    probe(A).env.out.wake(10 * MS);
    probe(A).env.out.wake(null);
    run(100);
    expect(inputs(A).map(({ type }) => type)).toEqual(["boot"]);
  });

  it("comes earlier in virtual time when the clock is made to run faster", () => {
    probe(A).env.out.wake(30 * MS);
    order({ type: "clock", process: A, driftPpm: 500_000, jumpUs: 0 });
    run(20);
    expect(inputs(A).at(-1)?.type).toBe("wake");
  });
});

describe("a crash", () => {
  it("keeps what was synced and boots the next incarnation from it", () => {
    probe(A).env.out.append("log", Uint8Array.of(1));
    probe(A).env.out.sync(1);
    run(2);
    probe(A).env.out.append("log", Uint8Array.of(2));
    order({ type: "crash", process: A });
    order({ type: "restart", process: A });
    run(0);
    expect(inputs(A)).toEqual([
      { type: "boot", incarnation: 2, files: [{ name: "log", bytes: Uint8Array.of(1) }], settings: SETTINGS },
    ]);
  });

  it("takes the process from its host, with its timers and its sync", () => {
    probe(A).env.out.wake(5 * MS);
    probe(A).env.out.append("log", Uint8Array.of(1));
    probe(A).env.out.sync(1);
    const before = probe(A);
    order({ type: "crash", process: A });
    order({ type: "restart", process: A });
    run(20);
    expect(probe(A)).not.toBe(before);
    expect(inputs(A).map(({ type }) => type)).toEqual(["boot"]);
  });
});

it("a process that throws panics with its error, and the others go on", () => {
  probe(A).env.out.send(B, "throw");
  probe(B).env.out.send(A, "hello");
  run(10);
  expect(world.stateOf(B)).toBe("panicked");
  expect(happened("panicked")[0]?.event).toMatchObject({ message: "Error: asked to throw" });
  expect(messages(A)).toEqual(["hello"]);
});

describe("a connection", () => {
  const ends = (): { client: string[]; server: string[] } => ({
    client: inputs(C).slice(1).map(describeInput),
    server: inputs(A).slice(1).map(describeInput),
  });
  const describeInput = (input: Input): string =>
    input.type === "received"
      ? String(input.data)
      : input.type === "closed"
        ? input.reset
          ? "reset"
          : "closed"
        : input.type;

  it("opens in a round trip and carries data in order both ways", () => {
    probe(C).env.out.open("c1/1/1", A);
    run(20);
    for (const word of ["a", "b", "c"]) probe(C).env.out.transmit("c1/1/1", word);
    probe(A).env.out.transmit("c1/1/1", "x");
    run(20);
    probe(C).env.out.close("c1/1/1");
    run(20);
    expect(ends()).toEqual({ client: ["connected", "x"], server: ["accepted", "a", "b", "c", "closed"] });
  });

  it("to a process that is down is refused", () => {
    order({ type: "crash", process: A });
    probe(C).env.out.open("c1/1/1", A);
    run(20);
    expect(ends().client).toEqual(["reset"]);
  });

  it("waits under a cut and loses nothing: what was sent arrives in order when the link is mended", () => {
    probe(C).env.out.open("c1/1/1", A);
    run(20);
    probe(C).env.out.transmit("c1/1/1", "on its way");
    order({ type: "cut", links: [{ from: C, to: A }] });
    probe(C).env.out.transmit("c1/1/1", "into the cut");
    run(500);
    expect(ends().server).toEqual(["accepted"]);
    order({ type: "heal" });
    probe(C).env.out.transmit("c1/1/1", "after");
    run(20);
    expect(ends().server).toEqual(["accepted", "on its way", "into the cut", "after"]);
  });

  it("is half open when an end dies behind a cut, and reset when the other can hear of it", () => {
    probe(C).env.out.open("c1/1/1", A);
    run(20);
    order({ type: "cut", links: [{ from: A, to: C }] });
    order({ type: "crash", process: A });
    run(500);
    expect(ends().client).toEqual(["connected"]);
    order({ type: "heal" });
    run(20);
    expect(ends().client).toEqual(["connected", "reset"]);
  });

  it("is accepted by the kernel of a paused process", () => {
    order({ type: "pause", process: A });
    probe(C).env.out.open("c1/1/1", A);
    run(20);
    expect(ends()).toEqual({ client: ["connected"], server: [] });
  });

  /** The number of the message that carries a word. */
  const carrying = (word: string): number => {
    const found = happened("sent").findLast(({ event }) => {
      const { segment } = event as Extract<WorldEvent, { type: "sent" }>;
      return segment?.part === "data" && segment.data === word;
    });
    return (found as TraceEvent<Extract<WorldEvent, { type: "sent" }>>).event.message;
  };
  const opened = (): void => {
    probe(C).env.out.open("c1/1/1", A);
    run(20);
  };
  const say = (...words: readonly string[]): void => {
    for (const word of words) probe(C).env.out.transmit("c1/1/1", word);
  };

  it("of which a segment is held keeps what was sent behind it from arriving, and the other half goes on", () => {
    opened();
    say("a", "b", "c");
    order({ type: "hold", message: carrying("b") });
    say("d");
    probe(A).env.out.transmit("c1/1/1", "x");
    run(500);
    expect(ends()).toEqual({ client: ["connected", "x"], server: ["accepted", "a"] });
    order({ type: "release", message: carrying("b") });
    run(50);
    expect(ends().server).toEqual(["accepted", "a", "b", "c", "d"]);
  });

  it("of which two segments are held waits for the first, in whatever order they are let go", () => {
    opened();
    say("a", "b", "c", "d");
    order({ type: "hold", message: carrying("c") });
    order({ type: "hold", message: carrying("a") });
    run(100);
    order({ type: "release", message: carrying("c") });
    run(100);
    expect(ends().server).toEqual(["accepted"]);
    order({ type: "release", message: carrying("a") });
    run(100);
    expect(ends().server).toEqual(["accepted", "a", "b", "c", "d"]);
  });

  it("of which a segment is lost sends it again after 200 ms, and nothing overtakes it", () => {
    opened();
    say("a", "b", "c");
    order({ type: "drop", message: carrying("b") });
    run(150);
    expect(ends().server).toEqual(["accepted", "a"]);
    say("d");
    run(100);
    expect(ends().server).toEqual(["accepted", "a", "b", "c", "d"]);
    expect(happened("lost")[0]?.event).toMatchObject({ why: "dropped" });
  });

  it("of which a segment is swallowed on the way misses nothing: the rest arrives as if it had", () => {
    opened();
    say("a", "b", "c");
    order({ type: "drop", message: carrying("b"), swallow: true });
    run(500);
    expect(ends().server).toEqual(["accepted", "a", "c"]);
  });

  it("of which a held segment is lost under a cut sends it when the link is mended", () => {
    opened();
    say("a", "b");
    order({ type: "hold", message: carrying("a") });
    order({ type: "cut", links: [{ from: C, to: A }] });
    order({ type: "drop", message: carrying("a") });
    run(500);
    expect(ends().server).toEqual(["accepted"]);
    order({ type: "heal" });
    run(50);
    expect(ends().server).toEqual(["accepted", "a", "b"]);
  });

  it("cannot be held, dropped or doubled in parts", () => {
    probe(C).env.out.open("c1/1/1", A);
    expect(order({ type: "drop", message: 1 })).toEqual({ rule: "message-on-connection", message: 1 });
  });
});

describe("a command that makes no sense now", () => {
  const refusals: readonly (readonly [string, Command, string])[] = [
    ["a process that is not there", { type: "crash", process: "n9" as ProcessId }, "unknown-process"],
    ["restarting what runs", { type: "restart", process: A }, "already-running"],
    ["resuming what is not paused", { type: "resume", process: A }, "not-paused"],
    ["wiping a disk in use", { type: "wipe", process: A }, "must-be-down"],
    ["wiping a client", { type: "wipe", process: C }, "not-a-member"],
    ["mending what is whole", { type: "heal" }, "nothing-to-mend"],
    ["a link to itself", { type: "cut", links: [{ from: A, to: A }] }, "no-such-link"],
    ["no links", { type: "cut", links: [] }, "invalid"],
    ["one group", { type: "partition", groups: [[A, B]] }, "invalid"],
    ["a member in two groups", { type: "partition", groups: [[A], [A]] }, "invalid"],
    ["a message that is gone", { type: "hold", message: 99 }, "no-such-message"],
    ["an empty value", { type: "write", client: C, member: null, value: "" }, "invalid"],
    ["a value that is too long", { type: "write", client: C, member: null, value: "x".repeat(1_001) }, "invalid"],
    ["a member as client", { type: "write", client: A, member: null, value: "x" }, "not-a-client"],
    ["a clock that runs backwards", { type: "clock", process: A, driftPpm: -1_000_000, jumpUs: 0 }, "invalid"],
    ["latency below nothing", { type: "network", quality: { ...STEADY, latencyMin: -1 } }, "invalid"],
    ["latency of half a microsecond", { type: "network", quality: { ...STEADY, latencyMin: 1.5 } }, "invalid"],
    ["least over most", { type: "network", quality: { ...STEADY, latencyMin: 20 * MS } }, "invalid"],
    ["loss above certainty", { type: "network", quality: { ...STEADY, lossPerMillion: 1_000_001 } }, "invalid"],
    ["spawning what is there", { type: "spawn", process: A }, "already-present"],
    [
      "adding a machine that cannot be",
      { type: "membership", member: A, transition: "auto", steps: [{ operation: "add-voter", id: C }] },
      "unknown-process",
    ],
    [
      "two steps for one machine",
      {
        type: "membership",
        member: A,
        transition: "auto",
        steps: [
          { operation: "add-voter", id: B },
          { operation: "remove", id: B },
        ],
      },
      "invalid",
    ],
    [
      "breaking a rule that is none",
      { type: "settings", settings: { ...SETTINGS, broken: ["gravity" as never] } },
      "invalid",
    ],
    ["damaging a disk in use", { type: "corrupt", process: A, back: 1 }, "must-be-down"],
  ];

  it.each(refusals)("%s: is answered with a reason and changes nothing", (_what, command, rule) => {
    const before = JSON.stringify(world.state());
    const told = events.length;
    expect(order(command)).toMatchObject({ rule });
    expect(JSON.stringify(world.state())).toBe(before);
    expect(events).toHaveLength(told);
  });

  it("crashing what is down, and writing through a member that is down", () => {
    order({ type: "crash", process: A });
    expect(order({ type: "crash", process: A })).toEqual({ rule: "already-down", process: A });
    expect(order({ type: "pause", process: A })).toEqual({ rule: "already-down", process: A });
    expect(order({ type: "write", client: C, member: A, value: "x" })).toEqual({ rule: "member-down", process: A });
    expect(order({ type: "corrupt", process: A, back: 1 })).toEqual({ rule: "disk-too-short", process: A, bytes: 0 });
  });
});

it("one more draw on one link changes nothing on another", () => {
  const arrivals = (extra: boolean): number[] => {
    start({ latencyMin: 1 * MS, latencyMax: 40 * MS });
    for (let i = 0; i < 10; i += 1) {
      if (extra) probe(B).env.out.send(A, i);
      probe(A).env.out.send(B, i);
    }
    run(100);
    return happened("delivered")
      .filter(({ process }) => process === B)
      .map(({ at }) => at);
  };
  expect(arrivals(true)).toEqual(arrivals(false));
});
