/** Who led when. Two may overlap: a leader that was cut off does not know yet. */
import type { Micros } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";
import type { Reign } from "../../trace/view.ts";

const NONE = Number.POSITIVE_INFINITY;

export class Reigns {
  readonly #reigns: Reign[];
  #changedFrom = NONE;

  constructor(reigns: readonly Reign[] = []) {
    this.#reigns = [...reigns];
  }

  begin(leader: ProcessId, term: number, at: Micros): void {
    this.#changedFrom = Math.min(this.#changedFrom, this.#reigns.length);
    this.#reigns.push({ leader, term, from: at, to: null });
  }

  end(leader: ProcessId, at: Micros): void {
    const last = this.#reigns.findLastIndex((reign) => reign.leader === leader && reign.to === null);
    const reign = this.#reigns[last];
    if (reign === undefined) return;
    this.#reigns[last] = { ...reign, to: at };
    this.#changedFrom = Math.min(this.#changedFrom, last);
  }

  get all(): readonly Reign[] {
    return [...this.#reigns];
  }

  /** Those from the first that changed since the last call on; null when none did. */
  takeChanges(): { readonly from: number; readonly reigns: readonly Reign[] } | null {
    const from = this.#changedFrom;
    if (from === NONE) return null;
    this.#changedFrom = NONE;
    return { from, reigns: this.#reigns.slice(from) };
  }
}
