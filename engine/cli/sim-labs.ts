/**
 * `sim --labs`: random lock labs under random faults. What a lab promises must hold; what it does not promise is counted,
 * and the shortest story of each kind of breach is printed.
 */
import { SECOND } from "../base/units.ts";
import type { LockRule } from "../check/locks.ts";
import type { LabStory } from "../labs/story.ts";
import { type LabSeedResult, runLabSeed, shorten } from "../scenario/lab-campaign.ts";

export interface LabSimOptions {
  readonly from: number;
  readonly to: number;
  readonly json: boolean;
}

interface Row {
  runs: number;
  readonly caught: Map<LockRule, number>;
}

const RULES: readonly LockRule[] = ["exclusion", "lost-update", "fairness"];
/** Stories of each kind and rule that are made shorter, to find the shortest: those with the fewest commands. */
const SHORTENED = 3;

/** @returns the exit code: 1 when something was broken that a lab promises */
export function labSim({ from, to, json }: LabSimOptions): number {
  const rows = new Map<string, Row>();
  const stories = new Map<string, { readonly rule: LockRule; readonly story: LabStory }[]>();
  const failed: LabSeedResult[] = [];
  let events = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const result = runLabSeed(seed);
    events += result.events;
    const row = rows.get(result.kind) ?? { runs: 0, caught: new Map() };
    rows.set(result.kind, row);
    row.runs += 1;
    for (const rule of new Set(result.breaches.map((one) => one.rule))) {
      row.caught.set(rule, (row.caught.get(rule) ?? 0) + 1);
      const name = `${result.kind}: ${rule}`;
      const found = [...(stories.get(name) ?? []), { rule, story: result.story }];
      stories.set(name, found.toSorted((a, b) => a.story.steps.length - b.story.steps.length).slice(0, SHORTENED));
    }
    if (result.broken.length > 0) failed.push(result);
  }
  const shortest = new Map([...stories].map(([name, found]) => [name, shortestOf(found)]));
  if (json) {
    const counts = [...rows].map(([kind, { runs, caught }]) => ({ kind, runs, caught: Object.fromEntries(caught) }));
    const violations = failed.map(({ story, kind, broken }) => ({
      story: story.id,
      kind,
      broken,
      replay: replay(story),
    }));
    print(JSON.stringify({ seeds: [from, to], events, counts, shortest: Object.fromEntries(shortest), violations }));
    return failed.length === 0 ? 0 : 1;
  }
  print(`${"lab".padEnd(38)}${"runs".padStart(7)}${RULES.map((rule) => rule.padStart(13)).join("")}`);
  for (const [kind, { runs, caught }] of [...rows].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const figures = RULES.map((rule) => String(caught.get(rule) ?? 0).padStart(13)).join("");
    print(`${kind.padEnd(38)}${String(runs).padStart(7)}${figures}`);
  }
  print(`events ${events}`);
  for (const [name, story] of shortest) print(`shortest: ${name}, ${story.id}: ${inWords(story)}`);
  for (const { story, kind, broken } of failed)
    print(`FAILED ${story.id} (${kind}): ${JSON.stringify(broken[0])}\n  replay: ${replay(story)}`);
  print(`violations ${failed.length}`);
  return failed.length === 0 ? 0 : 1;
}

function shortestOf(found: readonly { readonly rule: LockRule; readonly story: LabStory }[]): LabStory {
  const stories = found.map(({ rule, story }) => shorten(story, rule));
  return stories.reduce((a, b) =>
    b.steps.length < a.steps.length || (b.steps.length === a.steps.length && b.endsAt < a.endsAt) ? b : a,
  );
}

function inWords({ lab, steps, endsAt }: LabStory): string {
  const figures = `ttl ${lab.params.ttl / SECOND}, work ${lab.params.work / SECOND}, ${lab.clients.length} clients`;
  const deeds = steps.map(({ when, deed }) => {
    const command = deed.do === "command" ? JSON.stringify(deed.command) : deed.do;
    return `${"at" in when ? when.at : "?"} ${command}`;
  });
  return [figures, ...deeds, `by ${endsAt}`].join("; ");
}

function replay({ seed }: LabStory): string {
  return `npm run sim -- --labs --seeds ${seed}..${seed} --json`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
