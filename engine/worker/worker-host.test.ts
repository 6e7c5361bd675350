/** A host of workers, and the threads behind it, with nothing between the two but copies: runs of every system. */
import { afterEach, describe, expect, it } from "vitest";
import { SECOND } from "../base/units.ts";
import { LAB_STORIES } from "../labs/stories/index.ts";
import { tellStory } from "../labs/story.ts";
import { LAB_KIT } from "../labs/world.ts";
import { DEFAULT_CONFIG, type RunSpec } from "../scenario/config.ts";
import { labRunConfig } from "../scenario/labs.ts";
import { Run } from "../scenario/run.ts";
import { SYSTEMS_KIT } from "../scenario/systems.ts";
import type { ProcessId, Recorded } from "../sim/command.ts";
import { runProcessThread, type ThreadScope } from "./process-thread.ts";
import { WorkerHost } from "./worker-host.ts";

/** A thread in this one: what is posted is copied, and comes later. */
function makeWorker(): Worker {
  const worker = { onmessage: null, onerror: null } as unknown as Worker;
  const scope = {
    onmessage: null,
    postMessage: (data) => later(() => worker.onmessage?.({ data } as MessageEvent), data),
  } as ThreadScope;
  let ended = false;
  const later = (take: () => void, data: unknown): void => {
    structuredClone(data); // throws where a worker would
    queueMicrotask(() => {
      if (!ended) take();
    });
  };
  runProcessThread(scope, SYSTEMS_KIT.build);
  worker.postMessage = (data: unknown) => {
    const copy: unknown = structuredClone(data);
    later(() => scope.onmessage?.({ data: copy } as MessageEvent), null);
  };
  worker.terminate = () => {
    ended = true;
  };
  return worker;
}

const hosts: WorkerHost[] = [];
function newHost(): WorkerHost {
  const host = new WorkerHost(makeWorker, SYSTEMS_KIT.build);
  hosts.push(host);
  return host;
}
afterEach(() => {
  for (const host of hosts.splice(0)) host.end();
});

interface Recording {
  readonly spec: RunSpec;
  readonly commands: readonly Recorded[];
  readonly end: number;
}

function ofStory(id: string): Recording {
  const story = LAB_STORIES.find((one) => one.id === id);
  if (story === undefined) throw new Error(`no story ${id}`);
  const spec = { seed: story.seed, config: labRunConfig(story.lab) };
  return { spec, commands: tellStory(story, LAB_KIT).commands, end: story.lab.warmUp + story.endsAt * SECOND };
}

/** A member that crashes and comes back while clients ask for this and that. */
async function ofEtcd(): Promise<Recording> {
  const config = { ...DEFAULT_CONFIG, system: "etcd" as const, timing: "etcd" as const, members: 3 };
  const run = new Run({ seed: 5, config }, [], undefined, SYSTEMS_KIT);
  const process = "n1" as ProcessId;
  for (const [at, type] of [
    [4, "crash"],
    [6, "restart"],
    [8, "pause"],
    [9, "resume"],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await run.advance(at * SECOND);
    run.command({ type, process });
  }
  return { spec: run.spec, commands: run.commands, end: 15 * SECOND };
}

describe("a run with its processes in workers", () => {
  it.each([
    ["etcd", ofEtcd],
    ["fair lock", () => ofStory("waiter-dies-mended")],
    ["ZooKeeper", () => ofStory("three-clients-zookeeper")],
    ["Redis", () => ofStory("pause-open-write")],
    ["Redis, a failover", () => ofStory("failover-forgets")],
  ] as const)("%s: is the same run, though it moves in and out and is checkpointed on the way", async (_name, make) => {
    const { spec, commands, end } = await make();
    const here = new Run(spec, commands, 300, SYSTEMS_KIT);
    await here.advance(end);
    const there = new Run(spec, commands, 300, SYSTEMS_KIT);
    const host = newHost();
    for (const [i, part] of [0.2, 0.45, 0.7, 0.85, 1].entries()) {
      if (i % 2 === 0) there.moveTo(host);
      else await there.moveHere();
      await there.advance(Math.floor(end * part));
    }
    expect(there.hash).toBe(here.hash);
    expect(there.keyframe()).toEqual(here.keyframe());
    // A checkpoint that was taken there is as good as one that was taken here.
    await there.moveHere();
    there.seek(Math.floor(end * 0.6));
    await there.advance(end);
    expect(there.hash).toBe(here.hash);
  });
});
