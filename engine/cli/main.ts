/**
 * The command line: `tsx engine/cli/main.ts COMMAND …`. A command is loaded when it is asked for.
 */
import { UsageError } from "./usage.ts";

type Command = (args: readonly string[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  bench: async () => (await import("./bench.ts")).bench,
  conformance: async () => (await import("./conformance.ts")).conformance,
  sim: async () => (await import("./sim.ts")).sim,
  mutants: async () => (await import("./mutants.ts")).mutants,
};

async function main([name, ...args]: readonly string[]): Promise<number> {
  const names = Object.keys(COMMANDS).join(", ");
  const load = name === undefined ? undefined : COMMANDS[name];
  try {
    if (load === undefined) throw new UsageError(`usage: COMMAND …, where COMMAND is one of: ${names}`);
    return await (await load())(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
