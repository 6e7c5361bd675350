/**
 * A lock story: a lab, what is done to it and when, and what must come of it. Plain data: it is told in the page, in the
 * tests and from a link. Its words are under `labstory.<id>`.
 *
 * Instants are virtual seconds of the story. "Holds" are intervals in which a client believed.
 */
import { assert } from "../base/assert.ts";
import { type Micros, SECOND } from "../base/units.ts";
import type { Command, MessageId, ProcessId, Recorded } from "../sim/command.ts";
import type { TraceEvent } from "../sim/events.ts";
import type { Hold, LabView } from "../trace/lab-view.ts";
import type { LabConfig } from "./config.ts";
import { LabRun, type MessageMatch } from "./lab-run.ts";
import { StoryFacts } from "./story-facts.ts";
import type { LabKit } from "./world.ts";

/** When something is done: at an instant, or when something has come to pass. */
export type When =
  | { readonly at: number }
  /** The client's thread is about to run this step, for the first time from `from` on. */
  | { readonly step: string; readonly client: ProcessId; readonly from: number };

export type Deed =
  | { readonly do: "command"; readonly command: Command }
  /** To whoever leads then. */
  | { readonly do: "to-leader"; readonly type: "crash" | "pause" | "resume" }
  | { readonly do: "leader-clock"; readonly driftPpm: number; readonly jumpUs: Micros }
  /** The next message of a client in these words is lost, or kept until an instant. */
  | { readonly do: "lose"; readonly message: MessageMatch }
  | { readonly do: "keep"; readonly message: MessageMatch; readonly until: number };

export interface StoryStep {
  readonly when: When;
  readonly deed: Deed;
}

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
    }
  /** Really held by it until then. */
  | { readonly says: "loses"; readonly client: ProcessId; readonly within: readonly [number, number] }
  | { readonly says: "notifications"; readonly count: number; readonly client?: ProcessId }
  | { readonly says: "lost-updates"; readonly count: number }
  | { readonly says: "refused"; readonly count: number; readonly client?: ProcessId }
  | { readonly says: "value-of"; readonly client: ProcessId }
  | { readonly says: "tokens-rise" }
  | { readonly says: "state"; readonly client: ProcessId; readonly state: string }
  | { readonly says: "knows"; readonly client: ProcessId; readonly name: string; readonly value: string | null }
  | { readonly says: "without-holder"; readonly within: readonly [number, number] }
  | { readonly says: "out-of-turn"; readonly count: number }
  /** Leases of the store, at an instant. */
  | { readonly says: "leases"; readonly at: number; readonly count: number }
  /** A leader that took over gave so many leases their TTL anew, and this much more. */
  | { readonly says: "leases-extended"; readonly count: number; readonly by: number }
  /** Events of watches of this type that came to programs. */
  | { readonly says: "told"; readonly what: string; readonly count: number }
  /** A process other than `not` begins to lead, or this one ceases to. */
  | { readonly says: "new-leader"; readonly not?: ProcessId; readonly within: readonly [number, number] }
  | { readonly says: "steps-down"; readonly process: ProcessId; readonly within: readonly [number, number] }
  /** Who really held it, one after the other; null: a key of nobody's. */
  | { readonly says: "holders"; readonly clients: readonly (ProcessId | null)[] }
  | { readonly says: "same-token"; readonly clients: readonly [ProcessId, ProcessId] }
  /** Writes of it that the resource took. */
  | { readonly says: "writes-taken"; readonly client: ProcessId; readonly count: number };

export interface LabStory {
  readonly id: string;
  readonly lab: LabConfig;
  readonly seed: number;
  readonly steps: readonly StoryStep[];
  readonly endsAt: number;
  readonly expect: readonly Expectation[];
}

export interface Told {
  readonly view: LabView;
  readonly commands: readonly Recorded[];
  /** What did not come out, in words for a developer. */
  readonly broken: readonly string[];
  readonly events: number;
}

export function tellStory(story: LabStory, kit: LabKit, listener: ((event: TraceEvent) => void) | null = null): Told {
  const facts = new StoryFacts();
  const run = new LabRun(story.lab, story.seed, kit, (event) => {
    facts.add(event);
    listener?.(event);
  });
  const kept: { readonly message: MessageId; readonly until: Micros }[] = [];
  const armed: { readonly message: MessageMatch; readonly until: number | null }[] = [];
  const order = (command: Command): void => {
    const refusal = run.command(command);
    assert(refusal === null, `story ${story.id}: ${command.type} was refused: ${JSON.stringify(refusal)}`);
  };
  const look = (): boolean => {
    for (const [i, { message, until }] of armed.entries()) {
      const found = run.justSent(message);
      if (found === null) continue;
      armed.splice(i, 1);
      order(until === null ? { type: "drop", message: found, swallow: true } : { type: "hold", message: found });
      if (until === null) return false;
      kept.push({ message: found, until: until * SECOND });
      return true;
    }
    return false;
  };
  /** To an instant, letting go on the way what was kept until then. */
  const goTo = (at: Micros): void => {
    for (;;) {
      const due = [...kept].sort((a, b) => a.until - b.until)[0];
      const end = due === undefined ? at : Math.min(at, due.until);
      // What is kept meanwhile may be due before.
      const before = kept.length;
      if (run.runTo(Math.max(run.now, end), look) || kept.length > before) continue;
      if (due === undefined || due.until > at) return;
      kept.splice(kept.indexOf(due), 1);
      order({ type: "release", message: due.message });
    }
  };
  const act = (deed: Deed): void => {
    switch (deed.do) {
      case "command":
        return order(deed.command);
      case "to-leader":
        assert(run.leader !== null, `story ${story.id}: nobody leads`);
        return order({ type: deed.type, process: run.leader });
      case "leader-clock": {
        assert(run.leader !== null, `story ${story.id}: nobody leads`);
        return order({ type: "clock", process: run.leader, driftPpm: deed.driftPpm, jumpUs: deed.jumpUs });
      }
      case "lose":
        armed.push({ message: deed.message, until: null });
        return;
      case "keep":
        armed.push({ message: deed.message, until: deed.until });
    }
  };
  for (const { when, deed } of story.steps) {
    if ("at" in when) goTo(when.at * SECOND);
    else {
      goTo(when.from * SECOND);
      const came = run.runTo(story.endsAt * SECOND, () => {
        look();
        return run.cameTo(when.client, when.step);
      });
      assert(came, `story ${story.id}: ${when.client} never came to ${when.step}`);
    }
    act(deed);
  }
  goTo(story.endsAt * SECOND);
  const view = run.view();
  const broken = story.expect.flatMap((one) => judge(one, view, story.lab.warmUp, facts) ?? []);
  return { view, commands: run.commands, broken, events: run.events };
}

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
        ({ first, second, from, to }) =>
          ((first === a && second === b) || (first === b && second === a)) &&
          isIn(from, expectation.from) &&
          (expectation.to === undefined || isIn(to, expectation.to)),
      );
      return found
        ? null
        : say(view.overlaps.map((one) => [one.first, one.second, seconds(one.from), seconds(one.to)]));
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
    case "state":
      return client(expectation.client)?.state === expectation.state ? null : say(client(expectation.client)?.state);
    case "knows": {
      const value = client(expectation.client)?.knows.find(({ name }) => name === expectation.name)?.value ?? null;
      return value === expectation.value ? null : say(value);
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
    case "told":
      return facts.told(expectation.what) === expectation.count ? null : say(facts.told(expectation.what));
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
    case "same-token": {
      const [a, b] = expectation.clients.map((one) => holdsOf(one)[0]?.token ?? null);
      return a !== null && a === b ? null : say([a, b]);
    }
    case "writes-taken": {
      const taken = view.resource?.writes.filter((write) => write.taken && write.client === expectation.client);
      return taken?.length === expectation.count ? null : say(taken?.length);
    }
  }
}
