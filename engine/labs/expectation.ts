/**
 * What must come out of a lock story, and whether it did. Instants are virtual seconds of the story, `[from, to]` both
 * included; "holds" are intervals in which a client believed.
 */
import { type Micros, SECOND } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { Hold, LabView } from "../trace/lab-view.ts";
import { STATE, type StoryFacts } from "./story-facts.ts";

/** A statement over the end of a story. Instants are seconds, `[from, to]` both included. */
export type Expectation =
  /** The nth time (from 0) that it begins to believe. */
  | {
      readonly says: "believes";
      readonly client: ProcessId;
      readonly within: readonly [number, number];
      readonly nth?: number;
    }
  | { readonly says: "never-believes"; readonly client: ProcessId }
  | {
      readonly says: "stops";
      readonly client: ProcessId;
      readonly within: readonly [number, number];
      readonly nth?: number;
    }
  | { readonly says: "no-overlap" }
  | {
      readonly says: "overlap";
      readonly clients: readonly [ProcessId, ProcessId];
      readonly from: readonly [number, number];
      readonly to?: readonly [number, number];
      /** Why one of them was wrong: a sentence of the page has that name. */
      readonly why?: string;
    }
  /** The two never believed at once, whoever else did. */
  | { readonly says: "apart"; readonly clients: readonly [ProcessId, ProcessId] }
  /** Really held by it until then. */
  | { readonly says: "loses"; readonly client: ProcessId; readonly within: readonly [number, number] }
  | { readonly says: "notifications"; readonly count: number; readonly client?: ProcessId }
  | { readonly says: "lost-updates"; readonly count: number }
  | { readonly says: "refused"; readonly count: number; readonly client?: ProcessId }
  | { readonly says: "value-of"; readonly client: ProcessId }
  | { readonly says: "tokens-rise" }
  /** The nth event of a watch that came to it (from 0). */
  | {
      readonly says: "woken";
      readonly client: ProcessId;
      readonly within: readonly [number, number];
      readonly nth?: number;
    }
  /** At the end; `within`: since when, for the first time. */
  | {
      readonly says: "state";
      readonly client: ProcessId;
      readonly state: string;
      readonly within?: readonly [number, number];
    }
  | {
      readonly says: "knows";
      readonly client: ProcessId;
      readonly name: string;
      readonly value: string | null;
      readonly within?: readonly [number, number];
    }
  /** It came to know that, whatever it knew later. */
  | {
      readonly says: "learned";
      readonly client: ProcessId;
      readonly name: string;
      readonly value: string;
      readonly within: readonly [number, number];
    }
  /** The two know the same under that name at the end. */
  | { readonly says: "know-the-same"; readonly clients: readonly [ProcessId, ProcessId]; readonly name: string }
  | { readonly says: "without-holder"; readonly within: readonly [number, number] }
  | { readonly says: "out-of-turn"; readonly count: number }
  /** Leases of the store, at an instant. */
  | { readonly says: "leases"; readonly at: number; readonly count: number }
  /** A leader that took over gave so many leases their TTL anew, and this much more. */
  | { readonly says: "leases-extended"; readonly count: number; readonly by: number }
  /** Events of watches of this type that came to programs, until an instant or the end. */
  | { readonly says: "told"; readonly what: string; readonly count: number; readonly until?: number }
  /** A process other than `not` begins to lead, or this one ceases to. */
  | { readonly says: "new-leader"; readonly not?: ProcessId; readonly within: readonly [number, number] }
  | { readonly says: "steps-down"; readonly process: ProcessId; readonly within: readonly [number, number] }
  /** Who really held it, one after the other; null: a key of nobody's. */
  | { readonly says: "holders"; readonly clients: readonly (ProcessId | null)[] }
  /** At the end it really holds; null: a key of nobody's, or nobody. */
  | { readonly says: "really-holds"; readonly client: ProcessId | null }
  | { readonly says: "same-token"; readonly clients: readonly [ProcessId, ProcessId] }
  /** Writes of it that the resource took. */
  | { readonly says: "writes-taken"; readonly client: ProcessId; readonly count: number }
  /** Its nth write (from 0) came to the resource. */
  | {
      readonly says: "writes";
      readonly client: ProcessId;
      readonly within: readonly [number, number];
      readonly nth?: number;
    };

/** Null when it holds; else what is there instead. */
export function judge(expectation: Expectation, view: LabView, warmUp: Micros, facts: StoryFacts): string | null {
  const seconds = (at: Micros | null): number | null => (at === null ? null : (at - warmUp) / SECOND);
  const isIn = (at: Micros | null, [from, to]: readonly [number, number]): boolean => {
    const s = seconds(at);
    return s !== null && s >= from - 1e-9 && s <= to + 1e-9;
  };
  const holdsOf = (client: ProcessId): readonly Hold[] => view.believed.filter((hold) => hold.client === client);
  const say = (what: unknown): string => `${JSON.stringify(expectation)}: ${JSON.stringify(what)}`;
  const client = (id: ProcessId | undefined) => view.clients.find((one) => one.id === id);
  switch (expectation.says) {
    case "believes":
    case "stops": {
      const holds = holdsOf(expectation.client);
      const hold = holds[expectation.nth ?? 0];
      const at = expectation.says === "believes" ? hold?.from : hold?.to;
      return isIn(at ?? null, expectation.within)
        ? null
        : say(holds.map(({ from, to }) => [seconds(from), seconds(to)]));
    }
    case "never-believes": {
      const holds = holdsOf(expectation.client);
      return holds.length === 0 ? null : say(holds.map(({ from }) => seconds(from)));
    }
    case "no-overlap":
      return view.overlaps.length === 0
        ? null
        : say(view.overlaps.map((one) => [one.first, one.second, seconds(one.from)]));
    case "overlap": {
      const [a, b] = expectation.clients;
      const found = view.overlaps.some(
        ({ first, second, from, to, why }) =>
          ((first === a && second === b) || (first === b && second === a)) &&
          (expectation.why === undefined || why === expectation.why) &&
          isIn(from, expectation.from) &&
          (expectation.to === undefined || isIn(to, expectation.to)),
      );
      return found
        ? null
        : say(view.overlaps.map((one) => [one.first, one.second, seconds(one.from), seconds(one.to), one.why]));
    }
    case "apart": {
      const found = view.overlaps.filter(
        ({ first, second }) => expectation.clients.includes(first) && expectation.clients.includes(second),
      );
      return found.length === 0 ? null : say(found.map(({ from }) => seconds(from)));
    }
    case "loses": {
      const holds = view.held.filter((hold) => hold.client === expectation.client);
      return holds.some(({ to }) => isIn(to, expectation.within))
        ? null
        : say(holds.map(({ from, to }) => [seconds(from), seconds(to)]));
    }
    case "notifications": {
      const count = expectation.client === undefined ? view.notifications : client(expectation.client)?.notifications;
      return count === expectation.count ? null : say(count);
    }
    case "lost-updates":
      return view.resource?.lostUpdates === expectation.count ? null : say(view.resource?.writes);
    case "refused": {
      const writes = view.resource?.writes.filter(
        ({ taken, client: by }) => !taken && (expectation.client === undefined || by === expectation.client),
      );
      return writes?.length === expectation.count ? null : say(view.resource?.writes);
    }
    case "value-of":
      return view.resource?.writer === expectation.client ? null : say(view.resource?.writer);
    case "tokens-rise": {
      const tokens = view.believed.map(({ token }) => Number(token));
      return tokens.every((token, i) => i === 0 || token > (tokens[i - 1] ?? 0)) ? null : say(tokens);
    }
    case "woken": {
      const times = facts.told.filter((one) => one.client === expectation.client).map(({ at }) => at);
      return isIn(times[expectation.nth ?? 0] ?? null, expectation.within) ? null : say(times.map(seconds));
    }
    case "state": {
      const { client: id, state, within } = expectation;
      if (client(id)?.state !== state) return say(client(id)?.state);
      const since = facts.learnedAt(id, STATE, state);
      return within === undefined || isIn(since, within) ? null : say(seconds(since));
    }
    case "knows": {
      const { client: id, name, within } = expectation;
      const value = client(id)?.knows.find((one) => one.name === name)?.value ?? null;
      if (value !== expectation.value) return say(value);
      const since = facts.learnedAt(id, name, value);
      return within === undefined || isIn(since, within) ? null : say(seconds(since));
    }
    case "learned": {
      const { client: id, name, value, within } = expectation;
      const at = facts.learnedAt(id, name, value);
      return isIn(at, within) ? null : say(seconds(at));
    }
    case "know-the-same": {
      const [a, b] = expectation.clients.map(
        (id) => client(id)?.knows.find(({ name }) => name === expectation.name)?.value ?? null,
      );
      return a !== null && a === b ? null : say([a, b]);
    }
    case "without-holder":
      return isIn(view.withoutHolder + warmUp, expectation.within) ? null : say(view.withoutHolder / SECOND);
    case "out-of-turn":
      return view.outOfTurn === expectation.count ? null : say(view.outOfTurn);
    case "leases": {
      const count = facts.leasesAt(expectation.at * SECOND + warmUp);
      return count === expectation.count ? null : say(count);
    }
    case "leases-extended": {
      const right = facts.extended.filter((more) => more === expectation.by * SECOND);
      const isSo = right.length === expectation.count && right.length === facts.extended.length;
      return isSo ? null : say(facts.extended);
    }
    case "told": {
      const { what, count, until = Number.POSITIVE_INFINITY } = expectation;
      const found = facts.told.filter((one) => one.what === what && (one.at - warmUp) / SECOND <= until);
      return found.length === count ? null : say(found.length);
    }
    case "new-leader": {
      const leaders = facts.roles.filter(({ process, leads }) => leads && process !== expectation.not);
      return leaders.some(({ at }) => isIn(at, expectation.within)) ? null : say(leaders.map(({ at }) => seconds(at)));
    }
    case "steps-down": {
      const ends = facts.roles.filter(({ process, leads }) => !leads && process === expectation.process);
      return ends.some(({ at }) => isIn(at, expectation.within)) ? null : say(ends.map(({ at }) => seconds(at)));
    }
    case "holders": {
      const holders = view.held.map((hold) => hold.client);
      return JSON.stringify(holders) === JSON.stringify(expectation.clients) ? null : say(holders);
    }
    case "really-holds": {
      const last = view.held.at(-1);
      const holder = last?.to === null ? last.client : null;
      return holder === expectation.client ? null : say(holder);
    }
    case "same-token": {
      const [a, b] = expectation.clients.map((one) => holdsOf(one)[0]?.token ?? null);
      return a !== null && a === b ? null : say([a, b]);
    }
    case "writes-taken": {
      const taken = view.resource?.writes.filter((write) => write.taken && write.client === expectation.client);
      return taken?.length === expectation.count ? null : say(taken?.length);
    }
    case "writes": {
      const writes = view.resource?.writes.filter((write) => write.client === expectation.client) ?? [];
      const write = writes[expectation.nth ?? 0];
      return isIn(write?.at ?? null, expectation.within) ? null : say(writes.map(({ at }) => seconds(at)));
    }
  }
}
