/** The history that workload clients leave in a trace, put together from its events, and all that is judged of it. */
import type { RangeRequest, RangeResponse, WatchCreateRequest } from "../etcd/api/messages.ts";
import type { WorkloadEvent } from "../etcd/client/workload.ts";
import type { TraceEvent, WorldEvent } from "../sim/events.ts";
import {
  ETCD_MODEL,
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

  /** Answered so far. */
  get answered(): number {
    return this.#operations.reduce((sum, { output }) => sum + (output === null ? 0 : 1), this.#localReads.length);
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
    const store = checkLinearizable(ETCD_MODEL, operations.filter(isJudged));
    const last = store.result === "linearizable" ? store.state : null;
    const watches = [...this.#watches].map(([client, watch]) => seen(client, watch));
    return {
      operations: operations.length,
      unknown: operations.filter(({ output }) => output === null).length,
      localReads: this.#localReads.length,
      watchResponses: watches.reduce((sum, { responses }) => sum + responses.length, 0),
      store,
      wrongLocalReads: last === null ? [] : wrongLocalReads(last, this.#localReads),
      watchBreaches: last === null ? [] : watchBreaches(last, watches),
    };
  }

  #answered(client: string, at: number, output: StoreOutput): void {
    const called = this.#open.get(client);
    if (called === undefined) return;
    this.#open.delete(client);
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
