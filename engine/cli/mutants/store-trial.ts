/** One trial of etcd's store as it is bundled here, perhaps with a mutant in it: every case. Prints one line of JSON. */
import { argv } from "node:process";
import { playStoreCase, STORE_CASES, type StoreCase } from "./store-cases.ts";

export interface StoreTrialResult {
  /** The cases that failed, and what was wrong in each. */
  readonly failed: readonly { readonly name: StoreCase; readonly wrong: string }[];
}

const failed = STORE_CASES.flatMap((name) => {
  const wrong = playStoreCase(name);
  return wrong === null ? [] : [{ name, wrong }];
});
if (argv[2] === "{}") process.stdout.write(`${JSON.stringify({ failed } satisfies StoreTrialResult)}\n`);
