/**
 * The way of each request, from the client's sending to the member's answer: what the member says of the call, and what
 * Raft says of the entry that stands for it.
 */
import type { ClientFrame } from "../../etcd/api/methods.ts";
import { CODES } from "../../etcd/api/errors.ts";
import type { CallId, EtcdEvent } from "../../etcd/events.ts";
import { callId } from "../../etcd/member/core.ts";
import { callLabel } from "../../etcd/member/requests.ts";
import type { ReplicaEvent, RequestKey } from "../../replica/events.ts";
import type { MessageId, ProcessId } from "../../sim/command.ts";
import type { TraceEvent, WorldEvent } from "../../sim/events.ts";
import { REQUESTS_SHOWN, type RequestStage, type RequestView } from "../../trace/etcd-view.ts";
import { Kept } from "./kept.ts";

/** A request whose entry is followed. */
interface Followed {
  readonly call: CallId;
  readonly key: RequestKey;
  /** Members whose log holds the entry now. */
  readonly heldBy: readonly ProcessId[];
}

export interface RequestsState {
  readonly requests: readonly RequestView[];
  readonly followed: readonly Followed[];
  readonly travelling: readonly (readonly [MessageId, CallId])[];
}

export const NO_REQUESTS: RequestsState = { requests: [], followed: [], travelling: [] };

type Sent = WorldEvent & { readonly type: "sent" };

export class Requests {
  readonly kept: Kept<CallId, RequestView>;
  readonly #followed: Map<RequestKey, Followed>;
  /** Calls on their way to a member, by the message that carries each. */
  readonly #travelling: Map<MessageId, CallId>;

  constructor({ requests, followed, travelling }: RequestsState) {
    this.kept = new Kept(requests);
    this.#followed = new Map(followed.map((each) => [each.key, each]));
    this.#travelling = new Map(travelling);
  }

  /** Whose request an entry stands for; null when it is nobody's, or forgotten. */
  ownerOf(key: RequestKey): ProcessId | null {
    const followed = this.#followed.get(key);
    return followed === undefined ? null : (this.kept.get(followed.call)?.client ?? null);
  }

  // ── on the way ──

  sent({ at, process }: TraceEvent, { message, to, segment, lost }: Sent): void {
    if (process === null || segment === null) return;
    if (segment.part !== "data") return;
    const frame = segment.data as ClientFrame;
    if (frame.type !== "call") return;
    const id = callId(segment.connection, frame.call);
    if (this.kept.get(id) !== undefined) return;
    this.kept.put({
      id,
      client: process,
      member: to,
      method: frame.method,
      label: callLabel(frame.method, frame.body),
      sentAt: at,
      steps: [],
      entry: null,
      outcome: "pending",
      error: null,
      revision: null,
    });
    if (lost === null) this.#travelling.set(message, id);
    this.#limit();
  }

  delivered(message: MessageId): void {
    this.#travelling.delete(message);
  }

  lost(traced: TraceEvent, message: MessageId): void {
    const id = this.#travelling.get(message);
    if (id === undefined) return;
    this.#travelling.delete(message);
    const request = this.kept.get(id);
    if (request?.outcome === "pending") this.#step(traced, request, "lost", { outcome: "unknown" });
  }

  // ── what the member says ──

  received(traced: TraceEvent, { call }: EtcdEvent & { type: "etcd-received" }): void {
    this.#stepOf(traced, call, "received");
  }

  proposed(traced: TraceEvent, { call, key, forwarded }: EtcdEvent & { type: "etcd-proposed" }): void {
    if (this.kept.get(call) === undefined) return;
    this.#followed.set(key, { call, key, heldBy: [] });
    if (forwarded) this.#stepOf(traced, call, "forwarded");
  }

  confirmed(traced: TraceEvent, call: CallId): void {
    this.#stepOf(traced, call, "confirmed");
  }

  answered(traced: TraceEvent, { call, revision, error }: EtcdEvent & { type: "etcd-answered" }): void {
    const request = this.kept.get(call);
    if (request === undefined || request.outcome !== "pending") return;
    if (error === null) return this.#step(traced, request, "answered", { outcome: "done", revision });
    // What stands in a log may yet be carried out.
    const open = error.code === CODES.Unavailable || error.code === CODES.DeadlineExceeded;
    const outcome = open && request.entry !== null ? "unknown" : "failed";
    this.#step(traced, request, "refused", { outcome, error: error.message });
  }

  applied(traced: TraceEvent, key: RequestKey): void {
    const followed = this.#followed.get(key);
    if (followed !== undefined) this.#once(traced, followed, "applied");
  }

  // ── what Raft says ──

  shown(traced: TraceEvent, { entries }: ReplicaEvent & { type: "entries-shown" }): void {
    const { process } = traced;
    if (this.#followed.size === 0 || process === null) return;
    for (const { request: key, term, index } of entries) {
      const followed = key === null ? undefined : this.#followed.get(key);
      if (followed === undefined || followed.heldBy.includes(process)) continue;
      this.#followed.set(followed.key, { ...followed, heldBy: [...followed.heldBy, process] });
      const request = this.kept.get(followed.call);
      if (request !== undefined && request.entry === null)
        this.#step(traced, request, "proposed", { entry: { term, index } });
    }
  }

  durable(traced: TraceEvent, to: number): void {
    this.#reached(traced, to, "durable");
  }

  committed(traced: TraceEvent, to: number): void {
    this.#reached(traced, to, "committed");
  }

  truncated(process: ProcessId, from: number): void {
    for (const followed of this.#followed.values()) {
      const index = this.kept.get(followed.call)?.entry?.index ?? 0;
      if (index < from || !followed.heldBy.includes(process)) continue;
      this.#followed.set(followed.key, { ...followed, heldBy: followed.heldBy.filter((id) => id !== process) });
    }
  }

  /** A member or a client: what the one was working on, and what the other waited for, is answered to nobody. */
  processDown(traced: TraceEvent, process: ProcessId): void {
    for (const request of this.kept.all()) {
      const reached = request.member === process && request.steps.length > 0;
      if (request.outcome === "pending" && (reached || request.client === process))
        this.#step(traced, request, "lost", { outcome: "unknown" });
    }
  }

  /** @param members how many there are: an entry that all of them applied is followed no further */
  settle(members: number): void {
    for (const { key, call } of this.#followed.values()) {
      const request = this.kept.get(call);
      const applied = request?.steps.filter(({ stage }) => stage === "applied").length ?? members;
      if (applied >= members && request?.outcome !== "pending") this.#followed.delete(key);
    }
  }

  state(): RequestsState {
    return {
      requests: this.kept.all(),
      followed: [...this.#followed.values()],
      travelling: [...this.#travelling],
    };
  }

  #reached(traced: TraceEvent, to: number, stage: "durable" | "committed"): void {
    const { process } = traced;
    if (process === null) return;
    for (const followed of this.#followed.values()) {
      const index = this.kept.get(followed.call)?.entry?.index;
      if (index === undefined || index > to || !followed.heldBy.includes(process)) continue;
      this.#once(traced, followed, stage);
    }
  }

  /** Committed is once for all, the others once a member. */
  #once(traced: TraceEvent, { call }: Followed, stage: "durable" | "committed" | "applied"): void {
    const request = this.kept.get(call);
    if (request === undefined) return;
    const known = request.steps.some(
      (step) => step.stage === stage && (stage === "committed" || step.process === traced.process),
    );
    if (!known) this.#step(traced, request, stage, {});
  }

  #stepOf(traced: TraceEvent, call: CallId, stage: RequestStage): void {
    const request = this.kept.get(call);
    if (request !== undefined) this.#step(traced, request, stage, {});
  }

  #step({ id, at, process }: TraceEvent, request: RequestView, stage: RequestStage, told: Partial<RequestView>): void {
    const step = { stage, at, process: process ?? request.member, event: id };
    this.kept.put({ ...request, ...told, steps: [...request.steps, step] });
  }

  #limit(): void {
    if (this.kept.size <= REQUESTS_SHOWN) return;
    this.kept.limit(REQUESTS_SHOWN);
    for (const [key, { call }] of this.#followed) if (this.kept.get(call) === undefined) this.#followed.delete(key);
    for (const [message, call] of this.#travelling)
      if (this.kept.get(call) === undefined) this.#travelling.delete(message);
  }
}
