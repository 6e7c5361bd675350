/** A ZooKeeper member as what runs above a replica's log: joins `server.ts` to `replica/service.ts`. */
import { present } from "../base/assert.ts";
import type { PeerStatus } from "../raft/peer.ts";
import type { NodeId } from "../raft/types.ts";
import type { Command } from "../replica/command.ts";
import type { Applied, Service, ServiceHost } from "../replica/service.ts";
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId, Stamp } from "../sim/process.ts";
import type { ToServer } from "./api.ts";
import type { MachineCheckpoint } from "./machine.ts";
import { type PeerMessage, type ServerCheckpoint, type ZooKeeperConfig, ZooKeeperServer } from "./server.ts";

interface ServiceCheckpoint {
  readonly machine: MachineCheckpoint;
  readonly server: ServerCheckpoint;
}

export class ZooKeeperService implements Service {
  readonly #server: ZooKeeperServer;
  #host: ServiceHost | null = null;
  /** It goes on from a checkpoint, and has been booted before. */
  #resumed = false;

  /** @param id the member's own */
  constructor(id: ProcessId, config: ZooKeeperConfig) {
    const running = (): ServiceHost => present(this.#host, "a service is started before it is asked");
    this.#server = new ZooKeeperServer(id, config, {
      propose: (command) => void running().propose(command),
      transmit: (connection, packet) => running().transmit(connection, packet),
      close: (connection) => running().close(connection),
      tell: (member, message) => running().send(member as string as NodeId, message),
      get emit() {
        return running().emit;
      },
    });
  }

  start(host: ServiceHost): void {
    this.#host = host;
    if (!this.#resumed) this.#server.boot(host.incarnation);
  }

  accepted(connection: ConnectionId, from: ProcessId): void {
    this.#server.accepted(connection, from);
  }

  received(connection: ConnectionId, data: unknown, stamp: Stamp): void {
    this.#server.received(connection, data as ToServer, stamp);
    this.#sleep(stamp);
  }

  closed(connection: ConnectionId): void {
    this.#server.closed(connection);
  }

  message(from: NodeId, data: unknown, stamp: Stamp): void {
    this.#server.heard(from as string as ProcessId, data as PeerMessage, stamp);
    this.#sleep(stamp);
  }

  apply(command: Command, _applied: Applied, stamp: Stamp): void {
    this.#server.apply(command, stamp);
    this.#sleep(stamp);
  }

  confApplied(): void {}

  readable(): void {}

  /** It is proposed again in time, unless there is another leader by then. */
  refused(): void {}

  roleChanged({ leader }: PeerStatus, stamp: Stamp): void {
    this.#server.follows(leader as string | null as ProcessId | null, stamp);
    this.#sleep(stamp);
  }

  woke(stamp: Stamp): void {
    this.#server.tick(stamp);
    this.#sleep(stamp);
  }

  label(command: Command): string {
    return this.#server.label(command);
  }

  summary(): string {
    return this.#server.summary();
  }

  snapshot(): Uint8Array {
    return this.#server.snapshot();
  }

  restore(snapshot: Uint8Array): void {
    this.#server.restore(snapshot);
  }

  checkpoint(): ServiceCheckpoint {
    return { machine: this.#server.machine.checkpoint(), server: this.#server.checkpoint() };
  }

  resume(checkpoint: unknown): void {
    const { machine, server } = checkpoint as ServiceCheckpoint;
    this.#server.machine.resume(machine);
    this.#server.resume(server);
    this.#resumed = true;
  }

  #sleep(stamp: Stamp): void {
    const at = this.#server.wakeAt(stamp);
    present(this.#host, "a service is started before it is asked").wakeAt(at === Number.POSITIVE_INFINITY ? null : at);
  }
}
