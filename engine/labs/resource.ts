/**
 * What the lock protects: a register that takes writes from whoever comes. Open, it takes all of them; fenced, it refuses
 * a token smaller than the greatest one that it has seen. It compares tokens as numbers; a write without one is taken.
 */
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId, Env, Input, Process } from "../sim/process.ts";
import type { ResourceEvent } from "./events.ts";

export interface ResourceConfig {
  readonly kind: "lab-resource";
  readonly fenced: boolean;
}

export interface WriteRequest {
  readonly type: "resource-write";
  readonly n: number;
  readonly value: string;
  readonly token: string | null;
}

export interface WriteAnswer {
  readonly type: "resource-answer";
  readonly n: number;
  readonly taken: boolean;
  readonly greatest: string | null;
}

interface State {
  readonly fenced: boolean;
  readonly value: string | null;
  readonly greatest: string | null;
  readonly peers: ReadonlyMap<ConnectionId, ProcessId>;
}

export class Resource implements Process {
  readonly #env: Env;
  readonly #emit: ((event: ResourceEvent) => void) | null;
  #state: State;

  constructor({ fenced }: ResourceConfig, env: Env) {
    this.#env = env;
    this.#emit = env.out.emit;
    this.#state = { fenced, value: null, greatest: null, peers: new Map() };
  }

  step(input: Input): void {
    switch (input.type) {
      case "accepted":
        return this.#meet(input.connection, input.from);
      case "closed":
        return this.#part(input.connection);
      case "received":
        return this.#write(input.connection, input.data as WriteRequest);
      case "asked":
        if (input.ask.type === "fence") this.#fence(input.ask.on);
        return;
      default:
        return;
    }
  }

  flush(): void {}

  checkpoint(): unknown {
    return this.#state;
  }

  restore(checkpoint: unknown): void {
    this.#state = checkpoint as State;
  }

  #meet(connection: ConnectionId, from: ProcessId): void {
    this.#state = { ...this.#state, peers: new Map(this.#state.peers).set(connection, from) };
  }

  #part(connection: ConnectionId): void {
    const peers = new Map(this.#state.peers);
    peers.delete(connection);
    this.#state = { ...this.#state, peers };
  }

  #fence(on: boolean): void {
    this.#state = { ...this.#state, fenced: on };
    this.#emit?.({ type: "resource-fence", on });
  }

  #write(connection: ConnectionId, { n, value, token }: WriteRequest): void {
    const { fenced, greatest, peers } = this.#state;
    const client = peers.get(connection);
    if (client === undefined) return;
    const taken = !(fenced && token !== null && isSmaller(token, greatest));
    if (taken) {
      const seen = token !== null && !isSmaller(token, greatest) ? token : greatest;
      this.#state = { ...this.#state, value, greatest: seen };
      this.#emit?.({ type: "resource-wrote", client, value, token });
    } else this.#emit?.({ type: "resource-refused", client, value, token: token ?? "", greatest: greatest ?? "" });
    const answer: WriteAnswer = { type: "resource-answer", n, taken, greatest: this.#state.greatest };
    this.#env.out.transmit(connection, answer);
  }
}

export function isSmaller(token: string, than: string | null): boolean {
  return than !== null && Number(token) < Number(than);
}
