/**
 * An ensemble in a world of its own, and clients that do exactly what a trace says: no library, only packets.
 *
 * Time is virtual. After each step the world runs on until what the step set off has reached every member and client.
 */
import { MS, SECOND, type Micros } from "../../base/units.ts";
import type { NodeId } from "../../raft/types.ts";
import { Replica } from "../../replica/replica.ts";
import type { ProcessId } from "../../sim/command.ts";
import { InlineHost } from "../../sim/host.ts";
import type { ConnectionId, Env, Input, Process, ProcessSpec } from "../../sim/process.ts";
import { World } from "../../sim/world.ts";
import type { Call, Credentials, ToClient, ToServer } from "../../zookeeper/api.ts";
import { DEFAULT_ZOOKEEPER } from "../../zookeeper/server.ts";
import { ZooKeeperService } from "../../zookeeper/service.ts";

/** Time for a request to go through the log and for all members to hear of it. */
const SETTLE: Micros = 10 * MS;
const GIVE_UP: Micros = 20 * SECOND;

export type Packet = ToClient & { readonly type: "reply" | "event" };

export interface Hello {
  readonly timeout: Micros;
  readonly session: Credentials | null;
}

/** One client of the trace: its connection, its pings, and what has reached it. */
class Wire implements Process {
  readonly #env: Env;
  connection: ConnectionId | null = null;
  hello: Hello | null = null;
  greeting: ToServer | null = null;
  packets: Packet[] = [];
  stalled = false;
  lastZxid = 0;
  #xid = 0;
  #connections = 0;

  constructor(env: Env) {
    this.#env = env;
  }

  connect(member: ProcessId, greeting: ToServer): void {
    this.close();
    this.packets = [];
    this.#connections += 1;
    this.connection = `${this.#env.id}/${this.#connections}`;
    this.greeting = greeting;
    this.#env.out.open(this.connection, member);
  }

  request(call: Call): number {
    this.#xid += 1;
    if (this.connection !== null) this.#transmit({ type: "request", xid: this.#xid, call });
    return this.#xid;
  }

  close(): void {
    if (this.connection !== null) this.#env.out.close(this.connection);
    this.connection = null;
    this.hello = null;
    this.stalled = false;
  }

  step(input: Input, { awake }: { readonly awake: Micros }): void {
    if (input.type === "wake") return this.#ping(awake);
    if (!("connection" in input) || input.connection !== this.connection) return;
    if (input.type === "connected" && this.greeting !== null) this.#transmit(this.greeting);
    if (input.type === "closed") this.connection = null;
    if (input.type !== "received") return;
    const packet = input.data as ToClient;
    if (packet.type === "connected") {
      this.hello = packet;
      return this.#ping(awake);
    }
    if (packet.type === "pong") return;
    if (packet.type === "reply") this.lastZxid = packet.zxid;
    this.packets.push(packet);
  }

  #ping(awake: Micros): void {
    if (this.connection === null || this.hello === null || this.hello.session === null || this.stalled) return;
    this.#transmit({ type: "ping" });
    this.#env.out.wake(awake + Math.floor(this.hello.timeout / 4));
  }

  #transmit(packet: ToServer): void {
    if (this.connection !== null) this.#env.out.transmit(this.connection, packet);
  }

  flush(): void {}
  checkpoint(): unknown {
    return null;
  }
  restore(): void {}
}

export class Ensemble {
  readonly #members: readonly ProcessId[];
  readonly #clients: readonly ProcessId[];
  readonly #world: World;
  readonly #host: InlineHost;

  /** @param tick ZooKeeper's; clients sit at the members in turn */
  constructor(members: number, clients: readonly string[], tick: Micros) {
    this.#members = Array.from({ length: members }, (_, i) => `n${i + 1}` as ProcessId);
    this.#clients = clients.map((name) => `client ${name}` as ProcessId);
    const voters = this.#members.map((id) => id as string as NodeId);
    const raft = { tick: 10 * MS, electionTicks: 10, electionSpreadTicks: 10, heartbeatTicks: 1 };
    const replica = { voters, ...raft, snapshotEntries: 50, catchUpEntries: 10 };
    const zookeeper = {
      ...DEFAULT_ZOOKEEPER,
      tick,
      proposeAgain: 100 * MS,
      tree: { overflow: "sticks", counters: {} },
    } as const;
    this.#host = new InlineHost((spec, env) =>
      spec.kind === "member" ? new Replica(replica, new ZooKeeperService(spec.id, zookeeper), env) : new Wire(env),
    );
    const latency = { latencyMin: MS / 2, latencyMax: MS / 2 };
    this.#world = new World(
      {
        seed: 1,
        processes: [
          ...this.#members.map((id): ProcessSpec => ({ id, kind: "member", present: true, config: null })),
          ...this.#clients.map((id): ProcessSpec => ({ id, kind: "client", present: true, config: null })),
        ],
        network: { ...latency, lossPerMillion: 0, duplicatePerMillion: 0, reorderPerMillion: 0 },
        disk: { fsyncMin: MS / 4, fsyncMax: MS / 4, tornWrites: false },
        settings: { preVote: true, checkQuorum: true, readOnly: "safe", broken: [] },
      },
      null,
    );
    this.run(SECOND);
  }

  get now(): Micros {
    return this.#world.now;
  }

  run(span: Micros): void {
    this.#world.runHere(this.#host, this.#world.now + span);
  }

  settle(): void {
    this.run(SETTLE);
  }

  /** Crashes all members, and starts them on their disks. */
  restart(): void {
    for (const process of this.#members) this.#world.command({ type: "crash", process }, this.#host);
    for (const process of this.#members) this.#world.command({ type: "restart", process }, this.#host);
    this.run(SECOND);
  }

  /** Tries until a member serves it. */
  connect(client: string, timeout: Micros, session: Credentials | null): Hello {
    const wire = this.wire(client);
    const at = this.#clients.indexOf(`client ${client}` as ProcessId);
    const greeting: ToServer = { type: "connect", timeout, session, lastZxid: wire.lastZxid };
    const until = this.now + GIVE_UP;
    while (this.now < until) {
      wire.connect(this.#members[at % this.#members.length] as ProcessId, greeting);
      this.settle();
      for (let waited = 0; wire.hello === null && wire.connection !== null && waited < 50; waited += 1) this.settle();
      if (wire.hello !== null) return wire.hello;
      this.run(20 * MS);
    }
    throw new Error(`no member serves client ${client}`);
  }

  /** Until so many replies have come; then all that reached the client, in order. */
  exchange(client: string, calls: readonly Call[]): { readonly first: number; readonly packets: readonly Packet[] } {
    const wire = this.wire(client);
    const xids = calls.map((call) => wire.request(call));
    const until = this.now + GIVE_UP;
    const replies = () => wire.packets.filter(({ type }) => type === "reply").length;
    do this.settle();
    while (replies() < calls.length && wire.connection !== null && this.now < until);
    return { first: xids[0] ?? 0, packets: wire.packets.splice(0) };
  }

  wire(client: string): Wire {
    const id = `client ${client}` as ProcessId;
    return this.#host.get(id) as Wire;
  }
}
