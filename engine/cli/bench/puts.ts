/**
 * What one put costs: three replicas (Raft, write-ahead log, state machine) and their disks in one thread, with no time
 * between them. Puts come in batches, as group commit takes them; one is done when the machine of all three has it and
 * its client is answered. Snapshots and compaction are on, at etcd's own figures.
 */
import { assert, present } from "../../base/assert.ts";
import { rngFor } from "../../base/rng.ts";
import { MS } from "../../base/units.ts";
import { PutRequest } from "../../etcd/api/messages.ts";
import { create } from "../../etcd/api/proto.ts";
import { EtcdMember } from "../../etcd/member/member.ts";
import { startSettings } from "../../scenario/build.ts";
import { DEFAULT_CONFIG, TIMINGS } from "../../scenario/config.ts";
import type { NodeId } from "../../raft/types.ts";
import { etcdMemberConfig } from "../../scenario/etcd.ts";
import { Register } from "../../replica/register.ts";
import { Replica } from "../../replica/replica.ts";
import type { Service } from "../../replica/service.ts";
import type { ProcessId } from "../../sim/command.ts";
import { Disk } from "../../sim/disk.ts";
import type { Input, Out, Stamp } from "../../sim/process.ts";
import { type Measured, median, spread, stopwatch } from "./benchmark.ts";

const IDS = ["n1", "n2", "n3"] as readonly string[] as readonly ProcessId[];
const CLIENT = "c1" as ProcessId;
const CONNECTION = "c1/1/1";
const BATCH = 256;
const VALUE_BYTES = 64;

/** What is put, and into what. */
interface Load {
  readonly service: () => Service;
  readonly request: (n: number, value: string) => object;
  /** etcd's --snapshot-count: 10,000 since 3.6, 100,000 before. */
  readonly snapshotEntries: number;
}

const REGISTER: Load = {
  service: () => new Register(),
  request: (n, value) => ({ type: "request", request: n, body: { type: "write", value } }),
  snapshotEntries: 10_000,
};

const ETCD_KEYS = 1_000;

/** Over a thousand keys, so that each has a history. */
const ETCD: Load = {
  service: () => new EtcdMember(etcdMemberConfig({ ...DEFAULT_CONFIG, system: "etcd", timing: "etcd", members: 3 })),
  request: (call, value) => ({
    type: "call",
    call,
    method: "KV/Put",
    metadata: { token: null, hasLeader: false },
    body: create(PutRequest, { key: `key-${call % ETCD_KEYS}`, value }),
  }),
  snapshotEntries: 100_000,
};

class Member {
  readonly id: ProcessId;
  readonly disk = new Disk();
  readonly stamp: Stamp = { mono: 0, wall: 0, awake: 0 };
  readonly inbox: Input[] = [];
  readonly replica: Replica;
  writtenBytes = 0;
  answered = 0;
  wakeAt: number | null = null;

  constructor(id: ProcessId, trio: Trio, { service, snapshotEntries }: Load) {
    this.id = id;
    const out: Out = {
      send: (to, message) => void trio.member(to).inbox.push({ type: "message", from: id, message }),
      wake: (awake) => {
        this.wakeAt = awake;
      },
      append: (file, bytes) => {
        this.writtenBytes += bytes.length;
        this.disk.append(file, bytes);
      },
      truncate: (file, length) => this.disk.truncate(file, length),
      remove: (file) => this.disk.remove(file),
      sync: (token) => {
        this.disk.syncBegins();
        this.inbox.push({ type: "synced", token });
      },
      open: () => undefined,
      transmit: () => {
        this.answered += 1;
      },
      close: () => undefined,
      emit: null,
    };
    const config = {
      voters: IDS.map((one) => one as string as NodeId),
      ...TIMINGS.etcd,
      snapshotEntries,
      catchUpEntries: 5_000,
    };
    this.replica = new Replica(config, service(), { id, rng: rngFor(1, id), out });
  }

  /** Takes all that has come in as one batch. False when nothing had. */
  run(): boolean {
    const inputs = this.inbox.splice(0);
    if (inputs.length === 0) return false;
    for (const input of inputs) {
      if (input.type === "synced") this.disk.syncEnds();
      this.replica.step(input, this.stamp);
    }
    this.replica.flush(this.stamp);
    return true;
  }
}

class Trio {
  readonly members: readonly Member[];
  readonly #load: Load;
  puts = 0;

  constructor(load: Load = REGISTER) {
    this.#load = load;
    this.members = IDS.map((id) => new Member(id, this, load));
    const settings = startSettings(DEFAULT_CONFIG);
    for (const { inbox } of this.members) inbox.push({ type: "boot", incarnation: 1, files: [], settings });
    this.settle();
    // Time passes until the first timer has run out; nobody else's does before the election is over.
    const first = present(
      this.members.toSorted((a, b) => (a.wakeAt ?? 0) - (b.wakeAt ?? 0))[0],
      "a member that stands for election",
    );
    for (const { stamp } of this.members) stamp.awake = stamp.mono = stamp.wall = present(first.wakeAt, "its timer");
    first.inbox.push({ type: "wake" });
    this.settle();
    this.leader = first;
    first.inbox.push({ type: "accepted", connection: CONNECTION, from: CLIENT });
    this.settle();
  }

  readonly leader: Member;

  member(id: ProcessId): Member {
    return present(
      this.members.find((member) => member.id === id),
      id,
    );
  }

  settle(): void {
    let busy = true;
    while (busy) {
      busy = false;
      for (const member of this.members) busy = member.run() || busy;
    }
  }

  /** Puts that many, in batches; checks that all were applied and answered. */
  put(count: number): void {
    const { leader } = this;
    const before = leader.answered;
    for (let done = 0; done < count; done += BATCH) {
      const batch = Math.min(BATCH, count - done);
      for (let i = 0; i < batch; i += 1) {
        this.puts += 1;
        const value = String(this.puts).padStart(VALUE_BYTES, "x");
        const data = this.#load.request(this.puts, value);
        leader.inbox.push({ type: "received", connection: CONNECTION, data });
      }
      this.settle();
    }
    assert(leader.answered - before === count, "every put was answered");
    // A heartbeat a tick carries the last commit to the followers, as time does elsewhere.
    for (const { stamp } of this.members) stamp.awake = stamp.mono = stamp.wall = stamp.awake + 100 * MS;
    leader.inbox.push({ type: "wake" });
    this.settle();
  }
}

/** @returns µs a put, over that many of them */
function cost(trio: Trio, count: number): number {
  const spent = stopwatch();
  trio.put(count);
  return (spent() * 1_000) / count;
}

/** Two trios before it have made the code warm. */
function warmTrio(load: Load = REGISTER): Trio {
  for (let i = 0; i < 2; i += 1) new Trio(load).put(30_000);
  return new Trio(load);
}

export function measurePuts(): Measured {
  const trio = warmTrio();
  const rates = Array.from({ length: 9 }, () => 1_000_000 / cost(trio, 20_000));
  return { value: median(rates), note: `batches of ${BATCH}, ${trio.puts} puts; ${spread(rates)}` };
}

/** Three etcd members: committed and applied to the store of all three. */
export function measureEtcdPuts(): Measured {
  const trio = warmTrio(ETCD);
  const rates = Array.from({ length: 5 }, () => 1_000_000 / cost(trio, 10_000));
  return { value: median(rates), note: `batches of ${BATCH}, ${trio.puts} puts; ${spread(rates)}` };
}

export function measurePutCost(): Measured {
  const WINDOW = 2_000;
  const early: number[] = [];
  warmTrio();
  // A young log lasts for one window only: several of them.
  for (let i = 0; i < 15; i += 1) {
    const trio = new Trio();
    trio.put(1_000);
    early.push(cost(trio, WINDOW));
  }
  const old = new Trio();
  old.put(1_000_000);
  // As many entries as lie between two snapshots, so that one of those is in it too, by parts.
  const late = Array.from({ length: 15 }, () => cost(old, WINDOW));
  const [at1k, at1m] = [median(early), median(late)];
  return {
    value: at1m / at1k,
    note: `${at1k.toFixed(2)} µs a put at 1,000 entries, ${at1m.toFixed(2)} at 1,000,000`,
  };
}

interface Memory {
  readonly wal: Measured;
  readonly allocated: Measured;
  readonly allocations: Measured;
  readonly retained: Measured;
}

declare const gc: (() => void) | undefined;

export async function measurePutMemory(): Promise<Memory> {
  const collect = present(gc, "node --expose-gc");
  const heap = (): number => process.memoryUsage().heapUsed;
  const outside = (): number => process.memoryUsage().arrayBuffers;
  const trio = warmTrio();
  const COUNT = 10 * BATCH;
  const allocated = Array.from({ length: 9 }, () => {
    collect();
    const before = heap();
    trio.put(BATCH);
    return (heap() - before) / BATCH;
  });
  const wal = present(trio.members[0], "a member");
  const bytes = wal.writtenBytes;
  const puts = trio.puts;
  trio.put(COUNT);
  const walBytes = (wal.writtenBytes - bytes) / (trio.puts - puts);

  collect();
  const kept = heap() + outside();
  trio.put(200_000);
  collect();
  const retained = (heap() + outside() - kept) / 200_000;
  const allocations = await countAllocations(() => trio.put(COUNT));
  return {
    wal: { value: walBytes, note: `a value is ${VALUE_BYTES} bytes` },
    allocated: { value: median(allocated), note: `all three members, ${spread(allocated)}` },
    allocations: { value: allocations / COUNT, note: "all three members, every allocation sampled" },
    retained: { value: retained, note: "growth of the heap over 200,000 puts, snapshots on" },
  };
}

/** How many objects come into being meanwhile, by V8's sampling profiler set to miss none. */
async function countAllocations(work: () => void): Promise<number> {
  const { Session } = process.getBuiltinModule("node:inspector/promises");
  const session = new Session();
  session.connect();
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: 8,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  work();
  const { profile } = (await session.post("HeapProfiler.stopSampling")) as unknown as {
    /** One for each object that was seen to come into being. */
    readonly profile: { readonly samples: readonly unknown[] };
  };
  session.disconnect();
  return profile.samples.length;
}
