/**
 * A bench in the world: members m1, m2, … at m1:2379 and m1:2380, machines for three more, and consoles. Time is
 * virtual, so that a session of minutes takes moments.
 */
import { assert } from "../../base/assert.ts";
import { MS, type Micros, SECOND } from "../../base/units.ts";
import type { Bytes } from "../../etcd/api/bytes.ts";
import { Console, type ConsoleConfig, type ConsoleEvent } from "../../etcd/ctl/console.ts";
import type { Command, ConsoleInput, ProcessId } from "../../sim/command.ts";
import { InlineHost } from "../../sim/host.ts";
import type { Build, ProcessSpec } from "../../sim/process.ts";
import { World } from "../../sim/world.ts";
import type { Bench, Printed, SessionHead } from "./bench.ts";

/** How the members of a session are made. */
export interface Servers {
  readonly build: Build;
  /** The config of a member's process. */
  readonly config: (first: readonly ProcessId[], flags: readonly string[]) => unknown;
  /** Hexadecimal ids. */
  readonly memberId: (first: readonly ProcessId[], member: ProcessId) => string;
  readonly clusterId: (first: readonly ProcessId[]) => string;
}

/** Machines beyond the first members: for members that are added. */
const SPARE = 3;
const LATENCY = { latencyMin: 200, latencyMax: 800, lossPerMillion: 0, duplicatePerMillion: 0, reorderPerMillion: 0 };
const DISK = { fsyncMin: 200, fsyncMax: 900, tornWrites: false };
const SETTINGS = { preVote: false, checkQuorum: true, readOnly: "safe", broken: [] } as const;
/** In between the heads of two members can drift apart for no longer: commits are told at once, and with each heartbeat. */
const SETTLE: Micros = 120 * MS;
const STEP: Micros = 5 * MS;

export class WorldBench implements Bench {
  readonly names: Bench["names"];
  readonly consoles: number;
  readonly #world: World;
  readonly #host: InlineHost;
  readonly #printed = new Map<ProcessId, Printed>();

  /** A cluster that has m1 for its leader. */
  static async start(head: SessionHead, consoles: number, servers: Servers): Promise<WorldBench> {
    const bench = new WorldBench(head, consoles, servers);
    await bench.#elect(head.members);
    return bench;
  }

  private constructor(head: SessionHead, consoles: number, servers: Servers) {
    // the last console is the bench's own
    this.consoles = consoles;
    const machines = Array.from({ length: head.members + SPARE }, (_, i) => `m${i + 1}` as ProcessId);
    const first = machines.slice(0, head.members);
    const addresses = Object.fromEntries(machines.map((id) => [`${id}:2379`, id]));
    const console: ConsoleConfig = { program: "console", addresses, endpoints: "m1:2379", compat: "3.4" };
    const config = servers.config(first, head.server ?? []);
    this.names = {
      cluster: servers.clusterId(first),
      members: first.map((id) => ({ id: servers.memberId(first, id) })),
      addresses: Object.fromEntries([
        ...machines.flatMap((id, i) => [
          [`ep:${i + 1}`, `${id}:2379`],
          [`peer:${i + 1}`, `${id}:2380`],
        ]),
        ["ep:dead", "dead:2379"],
      ]),
    };
    const processes: ProcessSpec[] = [
      ...machines.map((id): ProcessSpec => ({ id, kind: "member", config, present: first.includes(id) })),
      ...Array.from({ length: consoles + 1 }, (_, i): ProcessSpec => ({ id: idOf(i), kind: "client", config: console, present: true })),
    ];
    this.#world = new World({ seed: 1, processes, network: LATENCY, disk: DISK, settings: SETTINGS }, ({ process, event }) => {
      if (process !== null) this.#heard(process, event as ConsoleEvent);
    });
    this.#host = new InlineHost((spec, env) =>
      spec.kind === "client" ? new Console(spec.config as ConsoleConfig, env) : servers.build(spec, env),
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

  /** As the recorder does it: with the tool. */
  async #elect(members: number): Promise<void> {
    await this.until(() => false, 3 * SECOND);
    if (members === 1) return;
    const endpoints = Array.from({ length: members }, (_, i) => `m${i + 1}:2379`).join(",");
    const id = this.names.members[0]?.id ?? "";
    for (let tries = 0; tries < 5; tries += 1) {
      const { code } = await this.#own(["--endpoints", endpoints, "move-leader", id]);
      await this.settle();
      if (code === 0) return;
    }
    throw new Error("m1 does not become the leader");
  }

  /** Runs a command at the bench's own console to its end. */
  async #own(args: readonly string[]): Promise<Printed> {
    const before = this.printed(this.consoles);
    this.run(this.consoles, args, "");
    const ended = await this.until(() => this.printed(this.consoles).code !== null, 30 * SECOND);
    const after = this.printed(this.consoles);
    assert(ended, `${args.join(" ")} ends`);
    return { ...after, stdout: after.stdout.slice(before.stdout.length), stderr: after.stderr.slice(before.stderr.length) };
  }

  #ask(client: ProcessId, input: ConsoleInput): void {
    this.#do({ type: "console", client, input });
  }

  #do(command: Command): void {
    const refusal = this.#world.command(command, this.#host);
    if (refusal !== null) throw new Error(`${command.type} is refused: ${JSON.stringify(refusal)}`);
  }

  #heard(process: ProcessId, event: ConsoleEvent): void {
    const printed = this.#printed.get(process) ?? { stdout: "", stderr: "", code: null };
    if (event.type === "console-output")
      this.#printed.set(process, { ...printed, [event.stream]: printed[event.stream] + event.text });
    else if (event.type === "console-exit") this.#printed.set(process, { ...printed, code: event.code });
  }
}

const idOf = (console: number) => `c${console + 1}` as ProcessId;
