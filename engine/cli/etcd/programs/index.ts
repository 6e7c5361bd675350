/**
 * Random programs of topics, besides those that the recorder makes itself. The recorder is told where this module is and
 * runs what it finds in `topics`; which seeds, the environment says: it starts as a process of its own.
 */
import { env } from "node:process";
import { historyProgram } from "./history.ts";
import type { Program } from "./kit.ts";
import { leasingProgram } from "./leasing.ts";
import { readsProgram } from "./reads.ts";
import { servicesProgram } from "./services.ts";
import { spellingProgram } from "./spelling.ts";
import { txnsProgram } from "./txns.ts";
import { upkeepProgram } from "./upkeep.ts";
import { usersProgram } from "./users.ts";
import { watchingProgram } from "./watching.ts";

export const TOPICS: Readonly<Record<string, (seed: number) => Program>> = {
  reads: readsProgram,
  txns: txnsProgram,
  watching: watchingProgram,
  leasing: leasingProgram,
  users: usersProgram,
  services: servicesProgram,
  history: historyProgram,
  spelling: spellingProgram,
  upkeep: upkeepProgram,
};

/** As the recorder wants them: FIRST-LAST of `LOCKSTEP_SEEDS`, the topics of `LOCKSTEP_TOPICS` in turn. */
function chosen(): readonly Program[] {
  const [first = 1, last = 0] = (env["LOCKSTEP_SEEDS"] ?? "").split("-").map(Number);
  const names = (env["LOCKSTEP_TOPICS"] ?? Object.keys(TOPICS).join()).split(",").filter((name) => name in TOPICS);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => {
    const seed = first + i;
    return (TOPICS[names[seed % names.length] as string] as (seed: number) => Program)(seed);
  });
}

export const topics = chosen();
