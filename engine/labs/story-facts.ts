/** What a story may be judged by besides its last view: told as it happened, by the servers and the programs. */
import { type Micros, SECOND } from "../base/units.ts";
import type { EtcdEvent } from "../etcd/events.ts";
import type { ProcessId } from "../sim/command.ts";
import type { TraceEvent } from "../sim/events.ts";
import type { LabEvent } from "./events.ts";

interface RoleTold {
  readonly type: "role-changed";
  readonly role: string;
}

export interface RoleChange {
  readonly at: Micros;
  readonly process: ProcessId;
  readonly leads: boolean;
}

/** Under this name a client's state is among what it learned: no program gives anything that name. */
export const STATE = "(state)";

export class StoryFacts {
  #index = 0;
  #leases = 0;
  /** How many leases there are, from each instant on. */
  readonly #leaseCounts: { readonly at: Micros; readonly count: number }[] = [];
  readonly roles: RoleChange[] = [];
  /** Events of watches that came to programs. */
  readonly told: { readonly at: Micros; readonly client: ProcessId | null; readonly what: string }[] = [];
  /** When programs came to know something, and into which state. */
  readonly learned: {
    readonly at: Micros;
    readonly client: ProcessId | null;
    readonly name: string;
    readonly value: string | null;
  }[] = [];

  /** What a leader that took over gave each lease besides its TTL. */
  readonly extended: Micros[] = [];

  add(traced: TraceEvent): void {
    const told = traced.event as EtcdEvent | LabEvent | RoleTold;
    if (told.type === "notified") this.told.push({ at: traced.at, client: traced.process, what: told.what });
    else if (told.type === "program-knows") this.#learns(traced, told.name, told.value);
    else if (told.type === "program-state") this.#learns(traced, STATE, told.state);
    else if (told.type === "etcd-lease-counted" && told.by === "leader-change")
      this.extended.push(told.expiresIn - told.ttl * SECOND);
    else if (told.type === "role-changed" && traced.process !== null)
      this.roles.push({ at: traced.at, process: traced.process, leads: told.role === "leader" });
    else if (told.type === "etcd-applied" && told.index > this.#index) {
      this.#index = told.index;
      const change = (told.granted === null ? 0 : 1) - (told.ended === null ? 0 : 1);
      if (change === 0) return;
      this.#leases += change;
      this.#leaseCounts.push({ at: traced.at, count: this.#leases });
    }
  }

  #learns({ at, process: client }: TraceEvent, name: string, value: string | null): void {
    this.learned.push({ at, client, name, value });
  }

  /** When a client first came to know that, or into that state (`STATE`); null: never. */
  learnedAt(client: ProcessId, name: string, value: string | null): Micros | null {
    return this.learned.find((one) => one.client === client && one.name === name && one.value === value)?.at ?? null;
  }

  leasesAt(at: Micros): number {
    return this.#leaseCounts.findLast((one) => one.at <= at)?.count ?? 0;
  }
}
