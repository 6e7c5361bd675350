/**
 * For tests: one etcd member without a log, over the real store, leases and watches. It stands in for a cluster of one
 * whose every proposal commits at once.
 */
import type { Micros } from "../../base/units.ts";
import { MS, SECOND } from "../../base/units.ts";
import { EtcdState } from "../../etcd/state.ts";
import type { EtcdError } from "../../etcd/api/errors.ts";
import type { LeaseId } from "../../etcd/api/ids.ts";
import * as m from "../../etcd/api/messages.ts";
import type { ClientFrame, ServerFrame } from "../../etcd/api/methods.ts";
import { create } from "../../etcd/api/proto.ts";
import type { EtcdEvent } from "../../etcd/events.ts";
import { PROPOSED, requestFor } from "../../etcd/member/requests.ts";
import type { Change } from "../../etcd/mvcc/history.ts";
import { type Told, Watchable } from "../../etcd/watch/watchable.ts";
import type { ConnectionId, Env, Input, Process, Stamp } from "../../sim/process.ts";

const EXPIRY_EVERY: Micros = 500 * MS;
const COMMIT: Micros = 5 * MS;

interface Stream {
  readonly connection: ConnectionId;
  readonly call: number;
  readonly method: string;
}

export class TestEtcd implements Process {
  readonly #env: Env;
  readonly #state = new EtcdState({ compat: "3.5", minLeaseTtl: 2, quotaBytes: 2 ** 31, members: [] });
  readonly #watches = new Watchable(this.#state.mvcc, "3.5");
  readonly #streams = new Map<string, Stream>();
  #leases = 0;
  #index = 0;
  #nextLook: Micros = EXPIRY_EVERY;
  #nextSync: Micros | null = null;
  #now: Micros = 0;

  constructor(env: Env) {
    this.#env = env;
  }

  step(input: Input, stamp: Stamp): void {
    this.#now = stamp.mono;
    if (input.type === "boot") this.#state.lessor.promote(0, stamp.mono);
    if (input.type === "received") this.#frame(input.connection, input.data as ClientFrame);
    if (input.type === "closed")
      for (const [id, { connection }] of this.#streams) if (connection === input.connection) this.#close(id);
    while (this.#nextLook <= stamp.mono) {
      this.#nextLook += EXPIRY_EVERY;
      for (const id of this.#state.lessor.takeExpired(stamp.mono, SECOND))
        this.#propose(create(m.InternalRaftRequest, { leaseRevoke: create(m.LeaseRevokeRequest, { id }) }));
    }
    if (this.#nextSync !== null && this.#nextSync <= stamp.mono) {
      this.#nextSync = null;
      this.#tellAll(this.#watches.sync());
    }
    if (this.#watches.lags) this.#nextSync ??= stamp.mono + COMMIT;
  }

  flush(): void {
    this.#env.out.wake(Math.min(this.#nextLook, this.#nextSync ?? this.#nextLook));
  }

  checkpoint(): unknown {
    return null;
  }

  restore(): void {}

  #frame(connection: ConnectionId, frame: ClientFrame): void {
    if (frame.type === "ping") return this.#tell(connection, { type: "pong" });
    const id = `${connection}:${frame.call}`;
    if (frame.type === "open") {
      this.#streams.set(id, { connection, call: frame.call, method: frame.method });
      if (frame.method === "Watch/Watch") this.#watches.openStream(id);
    } else if (frame.type === "cancel" || frame.type === "half-close") this.#close(id);
    else if (frame.type === "send") this.#send(id, frame.body);
    else this.#call(connection, frame.call, frame.method, frame.body);
  }

  #close(id: string): void {
    const stream = this.#streams.get(id);
    this.#streams.delete(id);
    if (stream?.method === "Watch/Watch") this.#watches.closeStream(id);
  }

  #call(connection: ConnectionId, call: number, method: string, given: object): void {
    let body = given;
    if (method === "Lease/LeaseGrant" && (body as m.LeaseGrantRequest).id === "0") {
      this.#leases += 1;
      body = { ...body, id: String(7_000 + this.#leases) as LeaseId };
    }
    const field = method === "KV/Range" ? "range" : PROPOSED[method as keyof typeof PROPOSED];
    if (field === undefined) throw new Error(`no ${method} here`);
    const response = this.#propose(requestFor(field, body));
    if ("code" in response) this.#tell(connection, { type: "error", call, error: response as EtcdError });
    else this.#tell(connection, { type: "answer", call, body: response });
  }

  #propose(request: m.InternalRaftRequest): object {
    this.#index += 1;
    const { response, changes } = this.#state.apply(request, this.#index, this.#now);
    this.#applied(request, changes);
    this.#tellAll(this.#watches.notify(changes));
    return response;
  }

  #applied({ leaseGrant, leaseRevoke }: m.InternalRaftRequest, changes: readonly Change[]): void {
    const event: EtcdEvent = {
      type: "etcd-applied",
      key: String(this.#index) as never,
      index: this.#index,
      revision: this.#state.mvcc.revision,
      changes,
      granted: leaseGrant === null ? null : { lease: leaseGrant.id, ttl: leaseGrant.ttl },
      ended: leaseRevoke?.id ?? null,
      compacted: null,
    };
    this.#env.out.emit?.(event);
    if (leaseGrant !== null) this.#counted(leaseGrant.id, leaseGrant.ttl, "grant");
  }

  #counted(lease: LeaseId, ttl: number, by: "grant" | "keep-alive"): void {
    const event: EtcdEvent = { type: "etcd-lease-counted", lease, ttl, expiresIn: ttl * SECOND, by };
    this.#env.out.emit?.(event);
  }

  #send(id: string, body: object): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (stream.method === "Lease/LeaseKeepAlive") {
      const lease = (body as m.LeaseKeepAliveRequest).id;
      const ttl = this.#state.lessor.renew(lease, this.#now) ?? 0;
      if (ttl > 0) this.#counted(lease, ttl, "keep-alive");
      const header = create(m.ResponseHeader, { revision: this.#state.mvcc.revision });
      const answer = create(m.LeaseKeepAliveResponse, { header, id: lease, ttl });
      return this.#tell(stream.connection, { type: "message", call: stream.call, body: answer });
    }
    const { createRequest, cancelRequest } = body as m.WatchRequest;
    const response =
      createRequest !== null
        ? this.#watches.create(id, createRequest)
        : cancelRequest === null
          ? null
          : this.#watches.cancel(id, cancelRequest.watchId);
    if (response !== null) this.#tellAll([{ stream: id, response }]);
  }

  #tellAll(told: readonly Told[]): void {
    for (const { stream, response } of told) {
      const to = this.#streams.get(stream);
      if (to !== undefined) this.#tell(to.connection, { type: "message", call: to.call, body: response });
    }
  }

  #tell(connection: ConnectionId, frame: ServerFrame): void {
    this.#env.out.transmit(connection, frame);
  }
}
