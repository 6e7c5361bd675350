/** For tests: an ensemble in a world, and clients that are told what to ask. */
import { MS, type Micros, SECOND } from "../base/units.ts";
import type { NodeId } from "../raft/types.ts";
import { Replica } from "../replica/replica.ts";
import type { Command, ProcessId } from "../sim/command.ts";
import type { TraceEvent } from "../sim/events.ts";
import { InlineHost } from "../sim/host.ts";
import type { Env, Input, Process, ProcessSpec, Stamp } from "../sim/process.ts";
import { World, type WorldConfig } from "../sim/world.ts";
import type { Call } from "./api.ts";
import { type ZkConfig, ZkConn, type ZkCheckpoint, type ZkNotice } from "./client.ts";
import { DEFAULT_ZOOKEEPER } from "./server.ts";
import { ZooKeeperService } from "./service.ts";

/** One client program: it asks what its script says at awake times, and notes what it is told. */
export interface Script {
  readonly name: string;
  readonly servers: readonly string[];
  readonly watchesAgain?: boolean;
  readonly givesUp?: boolean;
  readonly timeout?: Micros;
  readonly calls: readonly (readonly [Micros, Call])[];
}

interface ProgramState {
  readonly conn: ZkCheckpoint;
  readonly asked: number;
  readonly heard: readonly Heard[];
}

export type Heard = { readonly at: Micros; readonly notice: ZkNotice };

class Program implements Process {
  readonly #script: Script;
  readonly #conn: ZkConn;
  readonly #env: Env;
  #asked = 0;
  heard: Heard[] = [];

  constructor(script: Script, env: Env) {
    const config: ZkConfig = {
      servers: script.servers as readonly ProcessId[],
      timeout: script.timeout ?? 30 * SECOND,
      watchesAgain: script.watchesAgain ?? true,
      givesUp: script.givesUp ?? false,
    };
    this.#script = script;
    this.#env = env;
    this.#conn = new ZkConn(script.name, config, env.out, env.rng);
  }

  step(input: Input, stamp: Stamp): void {
    if (input.type === "boot") this.#conn.start(input.incarnation, stamp);
    else this.#conn.step(input, stamp);
    for (let next = this.#next; next !== undefined && next[0] <= stamp.awake; next = this.#next) {
      this.#asked += 1;
      this.#conn.request(next[1], stamp);
    }
    for (const notice of this.#conn.take()) this.heard.push({ at: stamp.mono, notice });
  }

  flush(stamp: Stamp): void {
    const times = [this.#conn.wakeAt(stamp), this.#next?.[0] ?? null].filter((at) => at !== null);
    this.#env.out.wake(times.length === 0 ? null : Math.min(...times));
  }

  get #next(): readonly [Micros, Call] | undefined {
    return this.#script.calls[this.#asked];
  }

  checkpoint(): ProgramState {
    return { conn: this.#conn.checkpoint(), asked: this.#asked, heard: [...this.heard] };
  }

  restore(checkpoint: unknown): void {
    const { conn, asked, heard } = checkpoint as ProgramState;
    this.#conn.restore(conn);
    this.#asked = asked;
    this.heard = [...heard];
  }
}

export class Stage {
  readonly events: TraceEvent[] = [];
  readonly #config: WorldConfig;
  readonly #scripts: readonly Script[];
  #world: World;
  #host: InlineHost;

  constructor(members: number, scripts: readonly Script[], lossPerMillion = 0) {
    const ids = Array.from({ length: members }, (_, i) => `n${i + 1}` as ProcessId);
    const voters = ids.map((id) => id as string as NodeId);
    const raft = { tick: 100 * MS, electionTicks: 10, electionSpreadTicks: 10, heartbeatTicks: 1 };
    const replica = { voters, ...raft, snapshotEntries: 40, catchUpEntries: 5 };
    this.#scripts = scripts;
    this.#config = {
      seed: 7,
      processes: [
        ...ids.map((id): ProcessSpec => ({ id, kind: "member", present: true, config: replica })),
        ...scripts.map(
          ({ name }): ProcessSpec => ({ id: name as ProcessId, kind: "client", present: true, config: null }),
        ),
      ],
      network: {
        latencyMin: 5 * MS,
        latencyMax: 5 * MS,
        lossPerMillion,
        duplicatePerMillion: lossPerMillion,
        reorderPerMillion: lossPerMillion,
      },
      disk: { fsyncMin: MS, fsyncMax: MS, tornWrites: false },
      settings: { preVote: true, checkQuorum: true, readOnly: "safe", broken: [] },
    };
    this.#host = this.#newHost();
    this.#world = new World(this.#config, (event) => this.events.push({ ...event }));
  }

  #newHost(): InlineHost {
    return new InlineHost((spec, env) =>
      spec.kind === "member"
        ? new Replica(spec.config as never, new ZooKeeperService(spec.id, DEFAULT_ZOOKEEPER), env)
        : new Program(this.#scripts.find(({ name }) => name === spec.id) as Script, env),
    );
  }

  until(at: Micros): this {
    this.#world.runHere(this.#host, at);
    return this;
  }

  command(command: Command): void {
    this.#world.command(command, this.#host);
  }

  heard(name: string): readonly Heard[] {
    return (this.#host.get(name as ProcessId) as Program).heard;
  }

  /** Events of this type with their instant and process. */
  of(type: string): readonly { readonly at: Micros; readonly process: string; readonly event: object }[] {
    return this.events
      .filter((event) => (event.event as { readonly type: string }).type === type)
      .map(({ at, process, event }) => ({ at, process: String(process), event }));
  }

  leader(): ProcessId {
    const restarted = this.of("session-timers-restarted").at(-1);
    return restarted?.process as ProcessId;
  }

  /** Throws the world away and goes on from what was kept of it. */
  goOnFromCheckpoint(): void {
    const state = this.#world.state();
    const kept = this.#world.living().map((spec) => ({
      spec,
      checkpoint: this.#host.get(spec.id).checkpoint(),
    }));
    this.#host = this.#newHost();
    this.#world = new World(this.#config, (event) => this.events.push({ ...event }), state);
    for (const { spec, checkpoint } of kept) this.#host.restore(spec, checkpoint, this.#world.outOf(spec.id));
  }
}
