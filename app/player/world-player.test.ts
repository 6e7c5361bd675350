import { afterEach, describe, expect, it, vi } from "vitest";
import { type Coordinator, DEFAULT_CONFIG, type Moment, type ProcessId, type RunSpec } from "../../engine/index.ts";
import { STORIES } from "../../engine/stories.ts";
import { isProcessId } from "../store/ids.ts";
import { readWorld } from "../store/worlds.ts";
import { EngineFailure } from "./engine.ts";
import { encodeLink } from "./link.ts";
import { startWorld } from "./start.ts";
import { type Surroundings, WorldPlayer } from "./world-player.ts";

const SPEC: RunSpec = { seed: 3, config: DEFAULT_CONFIG };
const HASH = "00000000000000ff";
const N1: string = "n1";

function n1(): ProcessId {
  if (!isProcessId(N1)) throw new Error("n1 is an id");
  return N1;
}

/** A coordinator whose worlds hold nothing but a clock; it notes what it was asked. */
class Scripted implements Coordinator {
  readonly asked: string[] = [];
  readonly at = new Map<string, number>();
  /** Virtual time that one advance manages within its budget. */
  reach = Number.POSITIVE_INFINITY;
  /** When a rule is broken. */
  breaksAt = Number.POSITIVE_INFINITY;
  hash = HASH;
  failing: Error | null = null;
  refuse = false;
  placement: "workers" | "inline" = "workers";

  #moment(world: string, at: number): Moment {
    if (this.failing !== null) throw this.failing;
    this.at.set(world, at);
    const broken = { rule: "election-safety", event: 9, at: this.breaksAt, process: null, figures: {} };
    const violation = at >= this.breaksAt ? broken : null;
    const delta = {
      whole: true,
      violation,
      at,
      n: at,
      members: [],
      logs: {},
      clients: [],
      flights: [],
      cuts: [],
      notes: [],
    };
    return {
      delta,
      hash: this.hash,
      headAt: at,
      headN: at,
      placement: this.placement,
      workers: true,
      branches: 0,
      brokeAt: null,
    };
  }
  async recordLabStory(): Promise<never> {
    throw new Error("no lock stories here");
  }
  async setBreakpoints(world: string, labels: readonly string[]) {
    this.asked.push(`breakpoints ${world} ${labels.join(" ")}`);
  }
  #now(world: string): number {
    return this.at.get(world) ?? 0;
  }
  async open(world: string, _spec: RunSpec, _commands: unknown, moment: { readonly at: number } | null) {
    this.asked.push(`open ${world}`);
    return this.#moment(world, moment?.at ?? 0);
  }
  async advance(world: string, to: number) {
    const from = this.#now(world);
    this.asked.push(`advance ${to - from}`);
    return this.#moment(world, Math.min(to, from + this.reach));
  }
  async dispatch(world: string) {
    this.asked.push("dispatch");
    const refused = this.refuse ? ({ rule: "no-leader" } as const) : null;
    return { refused, moment: this.#moment(world, this.#now(world)) };
  }
  async step(world: string, kind: string) {
    this.asked.push(`step ${kind}`);
    return { found: true, moment: this.#moment(world, this.#now(world) + 1) };
  }
  async recordStory(_story: unknown, telling: string) {
    this.asked.push(`story ${telling}`);
    return { spec: { ...SPEC, seed: 28 }, commands: [] };
  }
  async stepBack(world: string, kind: string) {
    this.asked.push(`back ${kind}`);
    return this.#moment(world, this.#now(world) - 1);
  }
  async seek(world: string, at: number) {
    this.asked.push(`seek ${at}`);
    return this.#moment(world, at);
  }
  async place(world: string, placement: "workers" | "inline") {
    this.asked.push(`place ${placement}`);
    this.placement = placement;
    return this.#moment(world, this.#now(world));
  }
  async branches() {
    return [{ commands: 2, headAt: 900, forkedAt: 400 }];
  }
  async switchBranch(world: string, branch: number) {
    this.asked.push(`branch ${branch}`);
    return this.#moment(world, this.#now(world));
  }
  async recording(world: string) {
    const at = this.#now(world);
    return { spec: SPEC, commands: [], at, n: at, hash: this.hash };
  }
  async disks() {
    return [];
  }
  async close(world: string) {
    this.asked.push(`close ${world}`);
    this.at.delete(world);
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A browser whose frames come when the test says so. */
function setup(world: string, part: Partial<Surroundings> = {}) {
  const coordinator = new Scripted();
  let callback: ((nowMs: number) => void) | null = null;
  let nowMs = 1_000;
  const visibility = new Set<() => void>();
  const state = { hidden: false, disposed: 0 };
  const player = new WorldPlayer(world, {
    connect: async () => ({
      coordinator,
      name: "register" as const,
      inPageBecause: null,
      lastError: () => null,
      dispose: () => {
        state.disposed += 1;
      },
    }),
    requestFrame: (wanted) => {
      callback = wanted;
      return () => {
        callback = null;
      };
    },
    isHidden: () => state.hidden,
    onVisibility: (listener) => {
      visibility.add(listener);
      return () => visibility.delete(listener);
    },
    address: () => "https://example.org/",
    ...part,
  });
  return {
    coordinator,
    player,
    state,
    settle,
    /** Whether the player asked for a frame. */
    awake: () => callback !== null,
    show: (hidden: boolean) => {
      state.hidden = hidden;
      for (const listener of visibility) listener();
    },
    frame: async (dtMs = 16) => {
      nowMs += dtMs;
      const due = callback;
      callback = null;
      due?.(nowMs);
      await settle();
    },
  };
}

afterEach(() => vi.useRealTimers());

describe("stories and futures", () => {
  it("a story is recorded, opened at its start, and plays", async () => {
    const { player, coordinator } = setup("story");
    await player.restart(SPEC);
    const [story] = STORIES;
    if (story === undefined) throw new Error("there are stories");
    expect(await player.tell(story, "kept")).toBe(true);
    expect(coordinator.asked).toStrictEqual(["open story.1", "story kept", "open story.2", "close story.1"]);
    expect(readWorld("story")).toMatchObject({ playing: true, spec: { seed: 28 }, view: { at: 0 } });
  });

  it("a future that was left is gone on with, paused", async () => {
    const { player, coordinator } = setup("futures");
    await player.restart(SPEC);
    player.play();
    expect(await player.branches()).toHaveLength(1);
    await player.switchBranch(0);
    expect(coordinator.asked.at(-1)).toBe("branch 0");
    expect(readWorld("futures").playing).toBe(false);
  });
});

describe("the frame loop", () => {
  it("asks for as much virtual time as wall time passed, times the speed", async () => {
    const { player, coordinator, frame } = setup("pace");
    await player.restart(SPEC);
    player.play();
    await frame();
    await frame(16);
    player.setSpeed(10);
    await frame(10);
    expect(coordinator.asked).toStrictEqual(["open pace.1", "advance 1600", "advance 100000"]);
    expect(readWorld("pace").view.at).toBe(101_600);
  });

  it("at a thousandth of real time, fractions of a microsecond are not lost", async () => {
    const { player, frame } = setup("slow");
    await player.restart(SPEC);
    player.setSpeed(0.001);
    player.play();
    await frame();
    for (let i = 0; i < 10; i += 1) await frame(1.5);
    expect(readWorld("slow").view.at).toBe(15);
  });

  it("a frame that comes late counts for 100 ms", async () => {
    const { player, frame } = setup("late");
    await player.restart(SPEC);
    player.setSpeed(1);
    player.play();
    await frame();
    await frame(60_000);
    expect(readWorld("late").view.at).toBe(100_000);
  });

  it("when the budget runs out, virtual time waits for the engine instead of piling up a debt", async () => {
    const { player, coordinator, frame } = setup("budget");
    await player.restart(SPEC);
    coordinator.reach = 1_000;
    player.setSpeed(1);
    player.play();
    await frame();
    await frame(16);
    await frame(16);
    await frame(16);
    expect(coordinator.asked.slice(1)).toStrictEqual(["advance 16000", "advance 16000", "advance 16000"]);
  });

  it("pauses where a rule is broken, and plays on when it is told to", async () => {
    const { player, coordinator, frame } = setup("broken");
    await player.restart(SPEC);
    coordinator.breaksAt = 1_000;
    player.play();
    await frame();
    await frame(16);
    expect(readWorld("broken")).toMatchObject({ playing: false, view: { at: 1_600, violation: { event: 9 } } });
    player.play();
    await frame();
    await frame(16);
    expect(readWorld("broken")).toMatchObject({ playing: true, view: { at: 3_200 } });
  });

  it("goes back to where a rule was broken when it ran far past it", async () => {
    const { player, coordinator, frame } = setup("overshot");
    await player.restart(SPEC);
    coordinator.breaksAt = 10_000;
    player.setSpeed(1);
    player.play();
    await frame();
    await frame(90);
    expect(coordinator.asked).toStrictEqual(["open overshot.1", "advance 90000", "seek 10000"]);
    expect(readWorld("overshot")).toMatchObject({ playing: false, view: { at: 10_000 } });
  });

  it("paused and with nothing changed, it asks for no frame", async () => {
    const { player, awake, frame } = setup("idle");
    await player.restart(SPEC);
    await frame();
    expect(awake()).toBe(false);
    player.play();
    await frame();
    expect(awake()).toBe(true);
    player.pause();
    await frame();
    await frame();
    expect(awake()).toBe(false);
  });

  it("hidden, it stands still; shown again, it goes on without a leap", async () => {
    const { player, awake, frame, show } = setup("hidden");
    await player.restart(SPEC);
    player.play();
    await frame();
    show(true);
    await frame(50);
    expect(awake()).toBe(false);
    show(false);
    await frame(5_000);
    await frame(10);
    expect(readWorld("hidden").view.at).toBe(1_000);
  });

  it("calls its listeners once for each frame with a change, with the facts that the store holds", async () => {
    const { player, frame } = setup("draw");
    const drawn: number[] = [];
    const off = player.onFrame((view, nowUs) => {
      expect(view).toBe(readWorld("draw").view);
      drawn.push(nowUs);
    });
    await player.restart(SPEC);
    await frame();
    await player.step("event");
    await frame();
    await frame();
    off();
    await player.step("event");
    await frame();
    expect(drawn).toStrictEqual([0, 1]);
  });
});

describe("as fast as it goes", () => {
  it("moves the members into one thread, and back on slowing down", async () => {
    const { player, coordinator, frame, settle } = setup("max");
    await player.restart(SPEC);
    coordinator.reach = 5_000;
    player.setSpeed("max");
    player.play();
    await settle();
    await frame();
    await frame();
    expect(readWorld("max")).toMatchObject({ placement: "inline", view: { at: 10_000 } });
    player.setSpeed(1);
    await settle();
    expect(readWorld("max").placement).toBe("workers");
    expect(coordinator.asked.filter((asked) => asked.startsWith("place"))).toStrictEqual([
      "place inline",
      "place workers",
    ]);
  });

  it("slowed down while the engine is far on its way, time goes on at once from where that ends", async () => {
    const { player, coordinator, frame, settle } = setup("slowed");
    await player.restart(SPEC);
    coordinator.reach = 5_000_000;
    player.setSpeed("max");
    player.play();
    await settle();
    const running = frame();
    player.setSpeed(1);
    await running;
    await settle();
    const { at } = readWorld("slowed").view;
    expect(at).toBe(5_000_000);
    await frame(16);
    await frame(16);
    expect(readWorld("slowed").view.at).toBeGreaterThan(at);
  });
});

describe("stepping, seeking and commands", () => {
  it("a step pauses first, and time goes on from there", async () => {
    const { player, coordinator, frame } = setup("step");
    await player.restart(SPEC);
    player.play();
    await player.step("role");
    expect(readWorld("step").playing).toBe(false);
    await player.stepBack("message");
    player.play();
    await frame();
    await frame(1);
    expect(coordinator.asked).toStrictEqual(["open step.1", "step role", "back message", "advance 100"]);
  });

  it("of many seeks that wait, only the latest is carried out", async () => {
    const { player, coordinator } = setup("seek");
    await player.restart(SPEC);
    await Promise.all([1, 2, 3, 4.7, -5, 9.2].map((at) => player.seek(at)));
    expect(coordinator.asked).toStrictEqual(["open seek.1", "seek 9"]);
    await player.seek(4);
    expect(readWorld("seek").view.at).toBe(4);
  });

  it("a refusal is answered and kept for the page, twice the same as two; a command that goes through clears it", async () => {
    const { player, coordinator } = setup("refuse");
    await player.restart(SPEC);
    coordinator.refuse = true;
    const command = { type: "crash", process: n1() } as const;
    expect(await player.dispatch(command)).toStrictEqual({ rule: "no-leader" });
    expect(readWorld("refuse").refused).toMatchObject({ serial: 1, command });
    await player.dispatch(command);
    expect(readWorld("refuse").refused?.serial).toBe(2);
    coordinator.refuse = false;
    expect(await player.dispatch(command)).toBeNull();
    expect(readWorld("refuse").refused).toBeNull();
  });

  it("calls go one after another, in the order in which they were asked for", async () => {
    const { player, coordinator } = setup("order");
    await Promise.all([player.restart(SPEC), player.step("event"), player.dispatch({ type: "heal" }), player.seek(2)]);
    expect(coordinator.asked).toStrictEqual(["open order.1", "step event", "dispatch", "seek 2"]);
  });
});

describe("links", () => {
  const run = { spec: SPEC, commands: [], at: 77, n: 77, hash: HASH };
  async function linkOf(part: object): Promise<string> {
    const link = await encodeLink({ ...run, ...part });
    return link.ok ? link.value : "";
  }

  it("a run that is shared opens again at its moment, paused", async () => {
    const { player } = setup("share");
    await player.restart(SPEC);
    await player.seek(77);
    const link = await player.share();
    if (!link.ok) throw new Error(link.problem.why);
    const other = setup("share-2");
    expect(await other.player.loadLink(link.value)).toBeNull();
    expect(readWorld("share-2")).toMatchObject({ status: "open", playing: false, view: { at: 77 }, problems: [] });
  });

  it("a replay with another hash is told, and stays open", async () => {
    const { player, coordinator } = setup("diverge");
    coordinator.hash = "1111111111111111";
    expect(await player.loadLink(await linkOf({}))).toBeNull();
    const { problems, status } = readWorld("diverge");
    expect(status).toBe("open");
    expect(problems).toMatchObject([{ kind: "diverged", n: 77, expected: HASH, actual: "1111111111111111" }]);
  });

  it("a bad link is told and leaves the running world alone", async () => {
    const { player, coordinator, frame } = setup("bad-link");
    await player.restart(SPEC);
    player.play();
    await frame();
    expect(await player.loadLink("#s=1.AAAA")).toStrictEqual({ why: "damaged" });
    await frame(10);
    expect(readWorld("bad-link")).toMatchObject({ playing: true, view: { at: 1_000 } });
    expect(readWorld("bad-link").problems).toStrictEqual([{ kind: "link", link: { why: "damaged" }, kept: true }]);
    expect(coordinator.asked).toStrictEqual(["open bad-link.1", "advance 1000"]);
  });

  it("a link that the engine cannot replay leaves the running world alone", async () => {
    const { player, coordinator } = setup("no-replay");
    await player.restart(SPEC);
    coordinator.failing = new Error("command 3 makes no sense");
    expect(await player.loadLink(await linkOf({}))).toMatchObject({ why: "not-replayable" });
    coordinator.failing = null;
    await player.step("event");
    expect(readWorld("no-replay")).toMatchObject({ status: "open", view: { at: 1 } });
  });
});

describe("from an address", () => {
  it("a run with the parameters' figures plays; what is not possible is told", async () => {
    const { player } = setup("address");
    await startWorld(player, { search: "?members=3&speed=1&seed=x", hash: "#top" });
    const world = readWorld("address");
    expect(world).toMatchObject({ playing: true, speed: 1, spec: { seed: 7, config: { members: 3 } } });
    expect(world.problems).toStrictEqual([{ kind: "parameter", name: "seed", value: "x" }]);
  });

  it("who asks for a run before the address has been read has that run", async () => {
    const { player } = setup("quicker");
    const starting = startWorld(player, { search: "?seed=9", hash: "" });
    await player.restart({ ...SPEC, seed: 5 });
    await starting;
    expect(readWorld("quicker").spec?.seed).toBe(5);
  });

  it("who asks for a run while a story is still being recorded has that run", async () => {
    const { player } = setup("restless");
    await player.restart(SPEC);
    const [story] = STORIES;
    if (story === undefined) throw new Error("there are stories");
    const telling = player.tell(story, "broken");
    const stands = player.restart({ ...SPEC, seed: 5 });
    expect(await Promise.all([telling, stands])).toStrictEqual([false, true]);
    expect(readWorld("restless").spec?.seed).toBe(5);
  });

  it("a run that should not play of itself waits, unless autoplay=1", async () => {
    await startWorld(setup("waits").player, { search: "", hash: "" }, false);
    await startWorld(setup("plays").player, { search: "?autoplay=1", hash: "" }, false);
    await startWorld(setup("asked").player, { search: "?autoplay=0", hash: "" });
    expect(["waits", "plays", "asked"].map((id) => readWorld(id).playing)).toStrictEqual([false, true, false]);
  });

  it("a link wins over the parameters; one that cannot be opened gives way to them", async () => {
    const link = await encodeLink({ spec: SPEC, commands: [], at: 5, n: 5, hash: HASH });
    if (!link.ok) throw new Error(link.problem.why);
    await startWorld(setup("linked").player, { search: "?seed=9", hash: `#${link.value}` });
    expect(readWorld("linked")).toMatchObject({ playing: false, spec: { seed: 3 }, view: { at: 5 } });
    await startWorld(setup("unlinked").player, { search: "?seed=9", hash: "#s=1.AAAA" });
    const world = readWorld("unlinked");
    expect(world).toMatchObject({ playing: true, spec: { seed: 9 }, problems: [{ kind: "link", kept: false }] });
  });
});

describe("real failures", () => {
  it("no engine: the world says so, and can be started once there is one", async () => {
    let broken = true;
    const coordinator = new Scripted();
    const { player } = setup("no-engine", {
      connect: async () => {
        if (broken) throw new EngineFailure("workers are forbidden");
        return {
          name: "register" as const,
          coordinator,
          inPageBecause: "forbidden",
          lastError: () => null,
          dispose: () => undefined,
        };
      },
    });
    expect(await player.restart(SPEC)).toBe(false);
    expect(readWorld("no-engine")).toMatchObject({
      status: "failed",
      problems: [{ kind: "engine-start", detail: "EngineFailure: workers are forbidden" }],
    });
    broken = false;
    expect(await player.restart(SPEC)).toBe(true);
    expect(readWorld("no-engine").status).toBe("open");
  });

  it("an engine that throws stops the run, is given up, and a restart gets a new one", async () => {
    const { player, coordinator, state, frame } = setup("throws");
    await player.restart(SPEC);
    player.play();
    coordinator.failing = new Error("assertion");
    await frame();
    await frame();
    expect(readWorld("throws")).toMatchObject({ status: "failed", playing: false });
    expect(readWorld("throws").problems).toStrictEqual([{ kind: "engine-failed", detail: "Error: assertion" }]);
    expect(state.disposed).toBe(1);
    expect(await player.dispatch({ type: "heal" })).toBeNull();
    coordinator.failing = null;
    expect(await player.restart(SPEC)).toBe(true);
    expect(readWorld("throws").status).toBe("open");
  });

  it("an engine that falls silent is found out", async () => {
    vi.useFakeTimers();
    const { player, coordinator } = setup("silent");
    await player.restart(SPEC);
    coordinator.step = () => new Promise<never>(() => undefined);
    const step = player.step("event");
    await vi.advanceTimersByTimeAsync(20_000);
    await step;
    expect(readWorld("silent")).toMatchObject({ status: "failed", problems: [{ kind: "engine-failed" }] });
  });

  it("the same problem is told once, until it is dismissed", async () => {
    const { player } = setup("twice");
    player.report({ kind: "parameter", name: "seed", value: "x" });
    player.report({ kind: "parameter", name: "seed", value: "x" });
    const [problem] = readWorld("twice").problems;
    expect(readWorld("twice").problems).toHaveLength(1);
    if (problem !== undefined) player.dismissProblem(problem);
    expect(readWorld("twice").problems).toStrictEqual([]);
  });
});
