/**
 * `mutants [--system raft|etcd] [--only TEXT] [--seeds N] [--transcripts PATH] [--json]`: plants each known fault and shows what caught it.
 *
 * First the engine as it is must pass what the mutants fail. Ends with 1 when a mutant lives, or only something else
 * than what was meant to has caught it.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { CASE_NAMES } from "./mutants/cases.ts";
import { type Mutant, MUTANTS } from "./mutants/catalogue.ts";
import type { Change } from "./mutants/change.ts";
import { MEMBER_MUTANTS } from "./mutants/member-catalogue.ts";
import { plant, runCases, runTrial } from "./mutants/plant.ts";
import { STORE_MUTANTS } from "./mutants/store-catalogue.ts";
import { UsageError } from "./usage.ts";

const USAGE = "usage: mutants [--system raft|etcd] [--only TEXT] [--seeds N] [--transcripts PATH] [--json]";
const TRANSCRIPTS = "../shared/conformance/etcd-raft";

/** One that a written case is meant to catch. */
interface CaseMutant extends Change {
  readonly meant: string;
}

interface Options {
  /** Null: all. */
  readonly system: "raft" | "etcd" | null;
  readonly only: string;
  readonly seeds: number;
  readonly transcripts: string | null;
  readonly json: boolean;
}

/** How a mutant fared: what of that which was meant to has caught it, and what else did. */
export interface Row {
  readonly mutant: { readonly name: string; readonly meant: readonly string[] };
  readonly caughtBy: string | null;
  readonly how: string;
  readonly also: readonly string[];
}

export async function mutants(args: readonly string[]): Promise<number> {
  const options = parse(args);
  const named = options.system === "etcd" ? [] : MUTANTS.filter(({ name }) => name.includes(options.only));
  const ofEtcd = (mutants: readonly CaseMutant[]): readonly CaseMutant[] =>
    options.system === "raft" ? [] : mutants.filter(({ name }) => name.includes(options.only));
  const [ofStore, ofMember] = [ofEtcd(STORE_MUTANTS), ofEtcd(MEMBER_MUTANTS)];
  const chosen = named.filter(({ meant }) => options.transcripts !== null || meant.some((by) => by !== "transcripts"));
  const folder = mkdtempSync(join(tmpdir(), "lockstep-mutants-"));
  try {
    const sound =
      (await soundEngine(folder, options, named.length > 0)) ??
      (await soundCases(folder, "store", ofStore.length > 0)) ??
      (await soundCases(folder, "member", ofMember.length > 0));
    if (sound !== null) {
      print(`the engine without a mutant fails: ${sound}`);
      return 1;
    }
    const say = options.json ? null : print;
    const rows = [
      ...(await tryCases(ofStore, "store", folder, say)),
      ...(await tryCases(ofMember, "member", folder, say)),
      ...(await tryAll(chosen, folder, options)),
    ];
    const living = rows.filter(({ caughtBy }) => caughtBy === null);
    if (options.json)
      print(JSON.stringify(rows.map(({ mutant, ...rest }) => ({ name: mutant.name, meant: mutant.meant, ...rest }))));
    else {
      const left = named.length - chosen.length;
      const without =
        left > 0 ? `, ${left} not tried: they need go.etcd.io/raft's transcripts (--transcripts PATH)` : "";
      print(`${rows.length - living.length} caught, ${living.length} not${without}`);
    }
    return living.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parse(args: readonly string[]): Options {
  const rest = [...args];
  let [only, seeds, json] = ["", 60, false];
  let system: Options["system"] = null;
  let transcripts = existsSync(TRANSCRIPTS) ? TRANSCRIPTS : null;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    if (name === "--json") json = true;
    else if (name === "--system" && (rest[0] === "raft" || rest[0] === "etcd")) {
      system = rest[0];
      rest.shift();
    } else if (name === "--only") only = rest.shift() ?? "";
    else if (name === "--seeds") seeds = Number(rest.shift());
    else if (name === "--transcripts") transcripts = rest.shift() ?? null;
    else throw new UsageError(USAGE);
  }
  if (!Number.isSafeInteger(seeds) || seeds < 1) throw new UsageError(USAGE);
  return { system, only, seeds, transcripts, json };
}

/** Null, or what a check finds where there is nothing to find. */
async function soundEngine(folder: string, { transcripts }: Options, wanted: boolean): Promise<string | null> {
  if (!wanted) return null;
  const program = await plant(null, folder, "sound");
  const meant = ["transcripts"] as const;
  for (const stage of CASE_NAMES) {
    const { caughtBy, how, also } = await runTrial(program, {
      meant,
      stage,
      seeds: 1,
      transcripts: stage === CASE_NAMES[0] ? transcripts : null,
    });
    if (caughtBy !== null || also.length > 0) return `${stage}: ${caughtBy ?? also.join(", ")} (${how})`;
  }
  return null;
}

async function tryAll(chosen: readonly Mutant[], folder: string, options: Options): Promise<readonly Row[]> {
  return inParallel([...chosen.entries()], async ([k, mutant]): Promise<Row> => {
    const program = await plant(mutant, folder, `mutant-${k}`);
    const { seeds, transcripts } = options;
    const result = await runTrial(program, { meant: mutant.meant, stage: mutant.stage ?? null, seeds, transcripts });
    const row = { mutant, ...result };
    if (!options.json) print(line(row));
    return row;
  });
}

/** Null, or what a case finds where there is nothing to find. */
async function soundCases(folder: string, trial: "store" | "member", wanted: boolean): Promise<string | null> {
  if (!wanted) return null;
  const { failed } = await runCases(await plant(null, folder, `sound-${trial}`, trial));
  return failed.length === 0 ? null : failed.map(({ name, wrong }) => `${name}: ${wrong}`).join("; ");
}

function tryCases(
  chosen: readonly CaseMutant[],
  trial: "store" | "member",
  folder: string,
  say: ((line: string) => void) | null,
): Promise<readonly Row[]> {
  return inParallel([...chosen.entries()], async ([k, { meant, ...mutant }]): Promise<Row> => {
    const program = await plant(mutant, folder, `${trial}-${k}`, trial);
    const { failed } = await runCases(program);
    const hit = failed.find(({ name }) => name === meant);
    const row: Row = {
      mutant: { name: mutant.name, meant: [meant] },
      caughtBy: hit?.name ?? null,
      how: hit?.wrong ?? "every case",
      also: failed.flatMap(({ name }) => (name === meant ? [] : [name])),
    };
    say?.(line(row));
    return row;
  });
}

/** As many at once as there are processors. */
async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results.push(await work(next));
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, worker));
  return results;
}

function line({ mutant: { name, meant }, caughtBy, how, also }: Row): string {
  const verdict = caughtBy ?? `NOT CAUGHT by ${meant.join(", ")}`;
  const others = also.length > 0 ? `; also ${also.join(", ")}` : "";
  return `${caughtBy === null ? "FAILED" : "ok    "} ${name.padEnd(76)} ${verdict.padEnd(22)} ${shortened(how)}${others}`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function shortened(text: string): string {
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
