/** The history that workload clients leave in a trace, put together from its events, and all that is judged of it. */
import type { Event, RangeRequest, RangeResponse, WatchCreateRequest } from "../etcd/api/messages.ts";
import type { WorkloadEvent } from "../etcd/client/workload.ts";
import type { TraceEvent, WorldEvent } from "../sim/events.ts";
import {
  ETCD_MODEL,
  modelWith,
  type LocalRead,
  type StoreInput,
  type StoreOutput,
  type StoreState,
  wrongLocalReads,
} from "./etcd-model.ts";
import { checkLinearizable, type Operation, type Verdict } from "./linearizability.ts";
import { type WatchBreach, watchBreaches, type WatchResponseSeen, type WatchSeen } from "./watch-guarantees.ts";

export interface HistoryVerdict {
  readonly operations: number;
  /** Of those, how many nobody knows the outcome of. */
  readonly unknown: number;
  readonly localReads: number;
  readonly watchResponses: number;
  readonly store: Verdict<StoreState, StoreInput, StoreOutput>;
  /** Empty too when there is no order to judge them by. */
  readonly wrongLocalReads: readonly LocalRead[];
  readonly watchBreaches: readonly WatchBreach[];
}

interface Called {
  readonly input: StoreInput;
  readonly call: number;
}

interface WatchAsked {
  readonly request: WatchCreateRequest;
  taken: number;
  readonly responses: WatchResponseSeen[];
}

export class EtcdHistory {
  readonly #operations: Operation<StoreInput, StoreOutput>[] = [];
  readonly #localReads: LocalRead[] = [];
  readonly #open = new Map<string, Called>();
  readonly #watches = new Map<string, WatchAsked>();

  #count = 0;

  /** Answered so far. */
  get answered(): number {
    return this.#count;
  }

  add({ process, incarnation, at, event }: TraceEvent<WorldEvent | WorkloadEvent>): void {
    if (process === null) return;
    const client = `${process}/${incarnation}`;
    switch (event.type) {
      case "operation-called":
        this.#open.set(client, { input: { method: event.method, body: event.body } as StoreInput, call: at });
        return;
      case "operation-answered":
        return this.#answered(client, at, event.body as StoreOutput);
      case "operation-failed":
        return this.#failed(client, event.unknown);
      case "watch-asked":
        this.#watches.set(`${client}/${event.watch}`, { request: event.request, taken: 0, responses: [] });
        return;
      case "watch-taken": {
        const watch = this.#watches.get(`${client}/${event.watch}`);
        if (watch !== undefined) watch.taken = event.revision;
        return;
      }
      case "watch-response":
        this.#watches.get(`${client}/${event.watch}`)?.responses.push(event);
        return;
      default:
        return;
    }
  }

  judge(): HistoryVerdict {
    const operations = [...this.#operations];
    // What was under way when the run, or the client, ended.
    for (const [client, { input, call }] of this.#open)
      operations.push({ client, input, output: null, call, return: null });
    const watches = [...this.#watches].map(([client, watch]) => seen(client, watch));
    const unknown = operations.filter(({ output }) => output === null).length;
    const history = operations.filter(isJudged);
    let judged = this.#judgeWith(checkLinearizable(ETCD_MODEL, history), watches);
    if (unknown > 0 && (judged.watchBreaches.length > 0 || judged.wrongLocalReads.length > 0)) {
      // Several orders may explain the answers. One that agrees with what else was seen is as good, and clears it.
      const model = modelWith(this.#eventsSeen(watches));
      const other = this.#judgeWith(checkLinearizable(model, history), watches);
      const clears = other.watchBreaches.length === 0 && other.wrongLocalReads.length === 0;
      if (other.store.result === "undecided" || (other.store.result === "linearizable" && clears)) judged = other;
    }
    return {
      ...judged,
      operations: operations.length,
      unknown,
      localReads: this.#localReads.length,
      watchResponses: watches.reduce((sum, { responses }) => sum + responses.length, 0),
    };
  }

  #judgeWith(
    store: HistoryVerdict["store"],
    watches: readonly WatchSeen[],
  ): Pick<HistoryVerdict, "store" | "wrongLocalReads" | "watchBreaches"> {
    if (store.result !== "linearizable") return { store, wrongLocalReads: [], watchBreaches: [] };
    return {
      store,
      wrongLocalReads: wrongLocalReads(store.state, this.#localReads),
      watchBreaches: watchBreaches(store.state, watches),
    };
  }

  /** By watches, and by local reads: a pair was put at its mod revision. */
  #eventsSeen(watches: readonly WatchSeen[]): readonly Event[] {
    const watched = watches.flatMap(({ responses }) => responses.flatMap(({ events }) => events));
    const read = this.#localReads.flatMap(({ response }) =>
      response.kvs.map((kv): Event => ({ type: "PUT", kv, prevKv: null })),
    );
    return [...watched, ...read];
  }

  #answered(client: string, at: number, output: StoreOutput): void {
    const called = this.#open.get(client);
    if (called === undefined) return;
    this.#open.delete(client);
    this.#count += 1;
    const { input, call } = called;
    if (input.method === "KV/Range" && input.body.serializable) {
      const request: RangeRequest = input.body;
      this.#localReads.push({ client, request, response: output as RangeResponse });
    } else this.#operations.push({ client, input, output, call, return: at });
  }

  #failed(client: string, unknown: boolean): void {
    const called = this.#open.get(client);
    if (called === undefined) return;
    this.#open.delete(client);
    const { input, call } = called;
    if (unknown) this.#operations.push({ client, input, output: null, call, return: null });
  }
}

/** Reads without an answer say nothing. */
function isJudged({ input, output }: Operation<StoreInput, StoreOutput>): boolean {
  return output !== null || input.method !== "KV/Range";
}

function seen(client: string, { request, taken, responses }: WatchAsked): WatchSeen {
  const from = request.startRevision > 0 ? request.startRevision : taken === 0 ? 0 : taken + 1;
  return { client, request, from, responses };
}
