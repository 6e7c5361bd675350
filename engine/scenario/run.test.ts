import { describe, expect, it } from "vitest";
import { MS, SECOND } from "../base/units.ts";
import type { Command, ProcessId } from "../sim/command.ts";
import { RecordedProcess } from "../sim/host.ts";
import type { ProcessSpec } from "../sim/process.ts";
import { build } from "./build.ts";
import { DEFAULT_CONFIG, type RunConfig } from "./config.ts";
import { Diverged, type RemoteHost, Run } from "./run.ts";

const C1 = "c1" as ProcessId;

/** A host as a worker is one: processes with their effects written down, and nothing but copies going in and out. */
function copyingHost(): RemoteHost {
  const processes = new Map<ProcessId, RecordedProcess>();
  const make = (spec: ProcessSpec, rng: readonly number[]): RecordedProcess => {
    const process = new RecordedProcess(build, structuredClone(spec), rng);
    processes.set(spec.id, process);
    return process;
  };
  const get = (id: ProcessId): RecordedProcess => processes.get(id) as RecordedProcess;
  return {
    start: (spec, rng) => void make(spec, rng),
    restore: (spec, checkpoint) => make(spec, [1, 2, 3, 4]).restore(structuredClone(checkpoint)),
    stop: (id) => void processes.delete(id),
    step: async (id, inputs, stamp) => structuredClone(get(id).step(structuredClone(inputs), structuredClone(stamp))),
    checkpoint: async (id) => structuredClone(get(id).checkpoint()),
    takeHung: () => [],
    clear: () => processes.clear(),
  };
}

const config = (change: Partial<RunConfig> = {}): RunConfig => ({ ...DEFAULT_CONFIG, ...change });
const write = (value: string, member: string | null = null): Command => ({
  type: "write",
  client: C1,
  member: member as ProcessId | null,
  value,
});

/** Crashes, cuts and writes over three seconds. */
async function eventful(run: Run): Promise<void> {
  const plan: readonly (readonly [number, Command])[] = [
    [400, write("a")],
    [600, { type: "crash", process: "n1" as ProcessId }],
    [700, { type: "pause", process: "n2" as ProcessId }],
    [900, write("b")],
    [1_000, { type: "resume", process: "n2" as ProcessId }],
    [1_200, { type: "restart", process: "n1" as ProcessId }],
    [
      1_400,
      {
        type: "partition",
        groups: [
          ["n1", "n2"],
          ["n3", "n4", "n5"],
        ] as ProcessId[][],
      },
    ],
    [1_600, write("c")],
    [2_200, { type: "heal" }],
    [2_400, write("d")],
  ];
  for (const [atMs, command] of plan) {
    await run.advance(atMs * MS);
    run.command(command);
  }
  await run.advance(3 * SECOND);
}

describe("the same seed, config and commands", () => {
  it("give the same hash, and another seed another one", async () => {
    const hashes = await Promise.all(
      [1, 1, 2].map(async (seed) => {
        const run = new Run({ seed, config: config() });
        await eventful(run);
        return run.hash;
      }),
    );
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[0]).not.toBe(hashes[2]);
  });

  it("give the same hash in this thread and at a host that copies everything", async () => {
    const here = new Run({ seed: 5, config: config() });
    await eventful(here);
    const there = new Run({ seed: 5, config: config() });
    there.moveTo(copyingHost());
    await eventful(there);
    expect(there.isRemote).toBe(true);
    expect(there.hash).toBe(here.hash);
  });

  it("give the same panic here and there: the member is down with its error, and the others go on", async () => {
    const damaged = async (run: Run): Promise<Run> => {
      await run.advance(400 * MS);
      for (const value of ["a", "b", "c"]) {
        run.command(write(value));
        await run.advance(run.position.at + 200 * MS);
      }
      run.command({ type: "crash", process: "n1" as ProcessId });
      run.command({ type: "corrupt", process: "n1" as ProcessId, back: 60 });
      run.command({ type: "restart", process: "n1" as ProcessId });
      await run.advance(3 * SECOND);
      return run;
    };
    const here = await damaged(new Run({ seed: 5, config: config() }));
    const there = new Run({ seed: 5, config: config() });
    there.moveTo(copyingHost());
    await damaged(there);
    const { members = [] } = there.keyframe();
    expect(members.find(({ id }) => id === "n1")).toMatchObject({
      liveness: "panicked",
      panic: { message: expect.stringMatching(/^WalCorrupt: /), stack: expect.stringContaining("WalCorrupt") },
    });
    expect(members.filter(({ role }) => role === "leader")).toHaveLength(1);
    expect(there.hash).toBe(here.hash);
  });

  it("give the same hash when the run moves between hosts at every hundred milliseconds", async () => {
    const still = new Run({ seed: 6, config: config() });
    await eventful(still);
    const moving = new Run({ seed: 6, config: config() }, still.commands);
    for (let at = 100 * MS; at <= 3 * SECOND; at += 100 * MS) {
      await moving.advance(at);
      if (moving.isRemote) await moving.moveHere();
      else moving.moveTo(copyingHost());
    }
    expect(moving.hash).toBe(still.hash);
  });
});

describe("a checkpoint", () => {
  it.each([1, 7, 50, 300])(
    "taken every %i events and gone back to leads to the hash of the run that never stopped",
    async (every) => {
      const still = new Run({ seed: 9, config: config() }, [], 1_000_000);
      await eventful(still);
      const run = new Run({ seed: 9, config: config() }, still.commands, every);
      await run.advance(3 * SECOND);
      for (const at of [2_900, 2_250, 1_399, 1_400, 650, 0].map((ms) => ms * MS)) {
        run.seek(at);
        expect(run.position.at).toBe(at);
        await run.advance(3 * SECOND);
        expect(run.hash).toBe(still.hash);
      }
    },
  );

  it("at a host elsewhere is as good as one taken here", async () => {
    const still = new Run({ seed: 9, config: config() });
    await eventful(still);
    const run = new Run({ seed: 9, config: config() }, still.commands, 40);
    run.moveTo(copyingHost());
    await run.advance(3 * SECOND);
    run.seek(1_500 * MS);
    await run.advance(3 * SECOND);
    expect(run.hash).toBe(still.hash);
  });
});

describe("going back", () => {
  it("event by event reaches the start, and forward again the same hash", async () => {
    const run = new Run({ seed: 3, config: config({ members: 3 }) });
    await run.advance(300 * MS);
    run.command(write("a"));
    await run.advance(320 * MS);
    const { hash } = run;
    const moments: string[] = [];
    while (run.position.n > 0) {
      moments.push(run.hash);
      run.stepBack("event");
    }
    expect(run.position).toEqual({ n: 0, at: 0, commands: 0 });
    expect(moments.length).toBeGreaterThan(20);
    await run.advance(320 * MS);
    expect(run.hash).toBe(hash);
  });

  it("a message at a time undoes exactly one step forward", async () => {
    const run = new Run({ seed: 3, config: config() });
    await run.advance(1 * SECOND);
    await run.step("message");
    const before = run.hash;
    await run.step("message");
    run.stepBack("message");
    expect(run.hash).toBe(before);
  });

  it("to the last change of role finds the election", async () => {
    const run = new Run({ seed: 7, config: config() });
    await run.advance(1 * SECOND);
    run.stepBack("role");
    expect(run.delta().members?.filter(({ role }) => role === "leader")).toHaveLength(1);
    run.stepBack("role");
    expect(run.delta().members?.filter(({ role }) => role === "leader")).toHaveLength(0);
  });
});

describe("a step", () => {
  it("to a change of role that does not come within a minute moves nothing", async () => {
    const run = new Run({ seed: 3, config: config() });
    await run.advance(1 * SECOND);
    const { hash, position } = run;
    expect(await run.step("role")).toBe(false);
    expect({ hash: run.hash, position: run.position }).toEqual({ hash, position });
  });

  it("to a change of role stops at it", async () => {
    const run = new Run({ seed: 3, config: config() });
    expect(await run.step("role")).toBe(true);
    expect(run.delta().members?.filter(({ role }) => role === "candidate")).toHaveLength(1);
  });
});

describe("a command in the past", () => {
  it("starts a new future and leaves the old one as a branch that can be gone back to", async () => {
    const run = new Run({ seed: 4, config: config() });
    await eventful(run);
    const old = { hash: run.hash, head: run.head };
    run.seek(650 * MS);
    expect(run.command(write("another"))).toBeNull();
    expect(run.commands).toHaveLength(3);
    await run.advance(3 * SECOND);
    expect(run.hash).not.toBe(old.hash);
    expect(run.branches).toMatchObject([{ head: old.head }]);
    run.switchTo(0);
    await run.advance(3 * SECOND);
    expect(run.hash).toBe(old.hash);
  });

  it("that is refused leaves the future as it was", async () => {
    const run = new Run({ seed: 4, config: config() });
    await eventful(run);
    const { hash } = run;
    run.seek(650 * MS);
    expect(run.command({ type: "restart", process: "n2" as ProcessId })).toMatchObject({ rule: "already-running" });
    expect(run.branches).toHaveLength(0);
    await run.advance(3 * SECOND);
    expect(run.hash).toBe(hash);
  });
});

describe("a recording", () => {
  it("replays to its moment with its hash, with the commands behind it still ahead", async () => {
    const run = new Run({ seed: 8, config: config() });
    await eventful(run);
    const end = { hash: run.hash, position: run.position };
    run.seek(1_000 * MS);
    const middle = { hash: run.hash, position: run.position };
    const again = new Run(run.spec, run.commands);
    again.replay(middle.position.n, middle.position.at);
    expect(again.hash).toBe(middle.hash);
    await again.advance(3 * SECOND);
    expect({ hash: again.hash, position: again.position }).toEqual(end);
  });

  it("that names a moment which is never reached says so", async () => {
    const run = new Run({ seed: 8, config: config() });
    expect(() => run.replay(1_000, 10)).toThrow(Diverged);
  });

  it("whose command does not fit says so", async () => {
    const run = new Run({ seed: 8, config: config() }, [
      { n: 6, at: 10, command: { type: "restart", process: "n1" as ProcessId } },
    ]);
    await expect(run.advance(1 * SECOND)).rejects.toThrow(/refused: already-running/);
  });
});
