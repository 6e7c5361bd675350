/**
 * A bench in the world: members m1, m2, … at addresses of the loopback, machines for three more, and consoles. Time is
 * virtual, so that a session of minutes takes moments.
 */
import { assert } from "../../base/assert.ts";
import { MS, type Micros, SECOND } from "../../base/units.ts";
import type { Bytes } from "../../etcd/api/bytes.ts";
import { Console, type ConsoleConfig, type ConsoleEvent } from "../../etcd/ctl/console.ts";
import { DEFAULT_CONFIG, type EtcdOptions } from "../../scenario/config.ts";
import { SYSTEMS_KIT } from "../../scenario/systems.ts";
import type { Command, ConsoleInput, ProcessId } from "../../sim/command.ts";
import { InlineHost } from "../../sim/host.ts";
import type { ProcessSpec } from "../../sim/process.ts";
import type { WorldEvent } from "../../sim/events.ts";
import { World } from "../../sim/world.ts";
import type { Bench, Printed, SessionHead } from "./bench.ts";

/** Machines beyond the first members: for members that are added. */
const SPARE = 3;
const LATENCY = { latencyMin: 200, latencyMax: 800, lossPerMillion: 0, duplicatePerMillion: 0, reorderPerMillion: 0 };
const DISK = { fsyncMin: 200, fsyncMax: 900, tornWrites: false };
/** In between the heads of two members can drift apart for no longer: commits are told at once, and with each heartbeat. */
const SETTLE: Micros = 120 * MS;
const STEP: Micros = 5 * MS;

export class WorldBench implements Bench {
  names: Bench["names"];
  readonly consoles: number;
  readonly #world: World;
  readonly #host: InlineHost;
  /** A process threw: a bug of ours. */
  #panic: string | null = null;
  readonly #printed = new Map<ProcessId, Printed>();

  /** A cluster that has m1 for its leader. */
  static async start(head: SessionHead, consoles: number): Promise<WorldBench> {
    const bench = new WorldBench(head, consoles);
    await bench.until(() => false, 3 * SECOND);
    await bench.#learnNames();
    if (head.members > 1) await bench.#elect(head.members);
    return bench;
  }

  private constructor(head: SessionHead, consoles: number) {
    // the last console is the bench's own
    this.consoles = consoles;
    const machines = Array.from({ length: head.members + SPARE }, (_, i) => `m${i + 1}` as ProcessId);
    const addresses = Object.fromEntries(machines.map((id, i) => [address(2379, i + 1), id]));
    const console: ConsoleConfig = { program: "console", addresses, endpoints: address(2379, 1), compat: "3.4" };
    this.names = {
      cluster: "",
      members: [],
      addresses: Object.fromEntries([
        ...machines.flatMap((_, i) => [
          [`ep:${i + 1}`, address(2379, i + 1)],
          [`peer:${i + 1}`, address(2380, i + 1)],
        ]),
        ["ep:dead", address(2379, 0)],
      ]),
    };
    const world = renamed(SYSTEMS_KIT.world({ seed: 1, config: runConfig(head) }));
    const desks = Array.from(
      { length: consoles + 1 },
      (_, i): ProcessSpec => ({ id: idOf(i), kind: "client", config: console, present: true }),
    );
    const processes = [...world.processes.filter(({ kind }) => kind === "member"), ...desks];
    this.#world = new World({ ...world, processes }, ({ process, event }) => {
      if (process !== null) this.#heard(process, event as ConsoleEvent | WorldEvent);
    });
    this.#host = new InlineHost((spec, env) =>
      spec.kind === "client" ? new Console(spec.config as ConsoleConfig, env) : SYSTEMS_KIT.build(spec, env),
    );
  }

  run(console: number, args: readonly string[], stdin: Bytes | null): void {
    const id = idOf(console);
    this.#printed.set(id, { ...this.printed(console), code: null });
    this.#ask(id, { do: "run", args, stdin });
  }

  type(console: number, text: string): void {
    this.#ask(idOf(console), { do: "type", text });
  }

  end(console: number): void {
    this.#ask(idOf(console), { do: "eof" });
  }

  interrupt(console: number): void {
    this.#ask(idOf(console), { do: "interrupt" });
  }

  vanish(console: number): void {
    this.#do({ type: "crash", process: idOf(console) });
  }

  printed(console: number): Printed {
    return this.#printed.get(idOf(console)) ?? { stdout: "", stderr: "", code: null };
  }

  until(condition: () => boolean, limit: Micros): Promise<boolean> {
    const end = this.#world.now + limit;
    while (!condition()) {
      if (this.#world.now >= end) return Promise.resolve(false);
      this.#world.runHere(this.#host, Math.min(end, this.#world.now + STEP));
      if (this.#panic !== null) throw new Error(this.#panic);
    }
    return Promise.resolve(true);
  }

  async settle(): Promise<void> {
    await this.until(() => false, SETTLE);
  }

  async leaseGone(id: string): Promise<boolean> {
    return (await this.#own(["lease", "timetolive", id])).stdout.includes("already expired");
  }

  async kill(member: string): Promise<void> {
    this.#do({ type: "crash", process: member as ProcessId });
    await this.until(() => false, 3 * SECOND);
  }

  async restart(member: string): Promise<void> {
    this.#do({ type: "restart", process: member as ProcessId });
    await this.until(() => false, 3 * SECOND);
  }

  async join(member: string): Promise<void> {
    this.#do({ type: "spawn", process: member as ProcessId });
    await this.until(() => false, 3 * SECOND);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The ids that etcd has given. */
  async #learnNames(): Promise<void> {
    const { stdout } = await this.#own(["member", "list", "-w", "json"]);
    // ids have 64 bits: read as text
    const id = (text: string | undefined) => BigInt(text ?? "0").toString(16);
    const members = [...stdout.matchAll(/"ID":(\d+),"name":"(\w+)"/g)].sort(([, , a = ""], [, , b = ""]) =>
      a < b ? -1 : 1,
    );
    this.names = {
      ...this.names,
      cluster: id(/"cluster_id":(\d+)/.exec(stdout)?.[1]),
      members: members.map(([, decimal]) => ({ id: id(decimal) })),
    };
  }

  /** As the recorder does it: with the tool. */
  async #elect(members: number): Promise<void> {
    const endpoints = Array.from({ length: members }, (_, i) => address(2379, i + 1)).join(",");
    const id = this.names.members[0]?.id ?? "";
    const { code, stderr } = await this.#own(["--endpoints", endpoints, "move-leader", id]);
    assert(code === 0, `m1 becomes the leader: ${stderr}`);
    await this.settle();
  }

  /** Runs a command at the bench's own console to its end. */
  async #own(args: readonly string[]): Promise<Printed> {
    const before = this.printed(this.consoles);
    this.run(this.consoles, args, "");
    const ended = await this.until(() => this.printed(this.consoles).code !== null, 30 * SECOND);
    const after = this.printed(this.consoles);
    assert(ended, `${args.join(" ")} ends`);
    return {
      ...after,
      stdout: after.stdout.slice(before.stdout.length),
      stderr: after.stderr.slice(before.stderr.length),
    };
  }

  #ask(client: ProcessId, input: ConsoleInput): void {
    this.#do({ type: "console", client, input });
  }

  #do(command: Command): void {
    const refusal = this.#world.command(command, this.#host);
    if (refusal !== null) throw new Error(`${command.type} is refused: ${JSON.stringify(refusal)}`);
  }

  #heard(process: ProcessId, event: ConsoleEvent | WorldEvent): void {
    const printed = this.#printed.get(process) ?? { stdout: "", stderr: "", code: null };
    if (event.type === "console-output")
      this.#printed.set(process, { ...printed, [event.stream]: printed[event.stream] + event.text });
    else if (event.type === "panicked") this.#panic ??= `${process} panicked: ${event.stack}`;
    else if (event.type === "console-exit") this.#printed.set(process, { ...printed, code: event.code });
  }
}

/** Numbers, as the recorder's: what the tool says of a URL depends on it. 2379 is for clients, 2380 for peers. */
const address = (port: 2379 | 2380, machine: number) => `127.0.0.1:${port}${machine}`;

const idOf = (console: number) => `c${console + 1}` as ProcessId;

/** etcd's own timing; the quota is the only flag of a server that sessions have. */
function runConfig({ members, server = [] }: SessionHead) {
  const quota = server
    .map((flag) => /^--quota-backend-bytes=(\d+)$/.exec(flag)?.[1])
    .find((bytes) => bytes !== undefined);
  const etcd: EtcdOptions = { compat: "3.4", ...(quota === undefined ? {} : { quotaBytes: Number(quota) }) };
  const { network, disk } = { network: LATENCY, disk: DISK };
  return { ...DEFAULT_CONFIG, system: "etcd", members, timing: "etcd", clients: 0, network, disk, etcd } as const;
}

/** Sessions name the machines m1, m2, …; a run n1, n2, … and n1:2379: it is only a name, in plain data. */
function renamed<T>(data: T): T {
  const name = (text: string) =>
    text
      .replace(/(?<![0-9A-Za-z])n([1-9]):(2379|2380)\b/g, "127.0.0.1:$2$1")
      .replace(/(?<![0-9A-Za-z])n(?=[1-9](?![0-9A-Za-z]))/g, "m");
  if (typeof data === "string") return name(data) as T;
  if (Array.isArray(data)) return data.map(renamed) as T;
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [name(key), renamed(value)])) as T;
}
