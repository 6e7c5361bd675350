/**
 * The coordinator: all open worlds, what the page asks of them, and where their members run.
 *
 * Calls for one world are carried out one after the other, in the order in which they came: a command that arrives while
 * the world is being advanced waits for that frame to end.
 */
import { present } from "../base/assert.ts";
import type { Micros } from "../base/units.ts";
import type { RunSpec } from "../scenario/config.ts";
import type { Kit } from "../scenario/kit.ts";
import { Run } from "../scenario/run.ts";
import { recordStory } from "../scenario/stories/tell.ts";
import type { Command, Recorded } from "../sim/command.ts";
import type {
  BranchInfo,
  Coordinator,
  Dispatched,
  Moment,
  Placement,
  Recording,
  Stepped,
  StepKind,
  WorldId,
} from "./protocol.ts";
import { WorkerHost } from "./worker-host.ts";

interface Opened {
  readonly run: Run;
  /** Where the members shall run while time passes. */
  wanted: Placement;
  /** The members' threads: coming up, up, or not to be had here. Until they are up, the run is in this thread. */
  threads: "coming" | "up" | "none";
  readonly host: WorkerHost | null;
  /** The call that is being carried out, or the last one. */
  busy: Promise<unknown>;
}

/**
 * @param kit what the runs of this coordinator may be made of
 * @param makeWorker starts the thread of a process; null where there are no workers
 */
export function createCoordinator(kit: Kit, makeWorker: (() => Worker) | null): Coordinator {
  const worlds = new Map<WorldId, Opened>();

  /** The page need not wait for the threads: the first moments run here. */
  function openWith(run: Run, wanted: Placement, host: WorkerHost | null): Opened {
    const opened: Opened = { run, wanted, threads: host === null ? "none" : "coming", host, busy: Promise.resolve() };
    void host?.warm(run.spec.config.members).then((up) => {
      opened.threads = up ? "up" : "none";
    });
    return opened;
  }

  /** One call of a world at a time. A call that fails does not stop the next. */
  function inTurn<T>(world: WorldId, call: (opened: Opened) => T | Promise<T>): Promise<T> {
    const opened = present(worlds.get(world), `world ${world}`);
    const turn = opened.busy.then(() => call(opened));
    opened.busy = turn.catch(() => undefined);
    return turn;
  }

  function moment({ run, threads }: Opened): Moment {
    return {
      delta: run.delta(),
      hash: run.hash,
      headAt: run.head.at,
      headN: run.head.n,
      placement: run.isRemote ? "workers" : "inline",
      workers: threads !== "none",
      branches: run.branches.length,
      brokeAt: run.brokeAt,
    };
  }

  /** Before time passes, the members go where they are wanted. */
  async function settle({ run, host, threads, wanted }: Opened): Promise<void> {
    if (wanted === "workers" && host !== null && threads === "up") {
      if (!run.isRemote) run.moveTo(host);
    } else {
      await run.moveHere();
    }
  }

  return {
    async open(
      world: WorldId,
      spec: RunSpec,
      commands: readonly Recorded[],
      at: { readonly n: number; readonly at: Micros } | null,
    ): Promise<Moment> {
      const run = new Run(spec, commands, undefined, kit);
      if (at !== null) run.replay(at.n, at.at);
      const before = worlds.get(world);
      await before?.busy;
      before?.host?.clear();
      const host = before?.host ?? (makeWorker === null ? null : new WorkerHost(makeWorker, kit.build));
      const opened = openWith(run, before?.wanted ?? "workers", host);
      worlds.set(world, opened);
      return moment(opened);
    },

    advance: (world, to, budgetMs) =>
      inTurn(world, async (opened) => {
        await settle(opened);
        const until = performance.now() + budgetMs;
        await opened.run.advance(to, () => performance.now() >= until);
        return moment(opened);
      }),

    dispatch: (world, command: Command): Promise<Dispatched> =>
      inTurn(world, async (opened) => {
        const refused = opened.run.command(command);
        // What happens at this very instant is shown at once, also while time stands still.
        if (refused === null) await opened.run.advance(opened.run.position.at);
        return { refused, moment: moment(opened) };
      }),

    step: (world, kind: StepKind): Promise<Stepped> =>
      inTurn(world, async (opened) => {
        await settle(opened);
        const found = await opened.run.step(kind);
        return { found, moment: moment(opened) };
      }),

    setBreakpoints: (world, labels) =>
      inTurn(world, ({ run }) => {
        run.breakpoints = new Set(labels);
      }),

    stepBack: (world, kind) =>
      inTurn(world, (opened) => {
        opened.run.stepBack(kind);
        return moment(opened);
      }),

    seek: (world, at) =>
      inTurn(world, (opened) => {
        opened.run.seek(at);
        return moment(opened);
      }),

    place: (world, placement) =>
      inTurn(world, async (opened) => {
        opened.wanted = placement;
        await settle(opened);
        return moment(opened);
      }),

    branches: (world): Promise<readonly BranchInfo[]> =>
      inTurn(world, ({ run }) =>
        run.branches.map(({ commands, head, forkedAt }) => ({
          commands: commands.length,
          headAt: head.at,
          forkedAt: forkedAt.at,
        })),
      ),

    switchBranch: (world, branch) =>
      inTurn(world, (opened) => {
        opened.run.switchTo(branch);
        return moment(opened);
      }),

    recordStory,
    recordLabStory: async (id) => present(kit.recordLabStory, "a program with lock stories")(id),

    recording: (world): Promise<Recording> =>
      inTurn(world, ({ run }) => {
        const { n, at } = run.position;
        return { spec: run.spec, commands: run.commands, at, n, hash: run.hash };
      }),

    disks: (world) => inTurn(world, ({ run }) => run.disks()),

    close: (world) =>
      inTurn(world, (opened) => {
        opened.host?.end();
        worlds.delete(world);
      }),
  };
}
