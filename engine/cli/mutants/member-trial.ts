/** One trial of etcd's member and client as they are bundled here, perhaps with a mutant in it: every case. Prints one line of JSON. */
import { argv } from "node:process";
import { MEMBER_CASES, type MemberCase, playMemberCase } from "./member-cases.ts";

export interface MemberTrialResult {
  /** The cases that failed, and what was wrong in each. */
  readonly failed: readonly { readonly name: MemberCase; readonly wrong: string }[];
}

const failed: MemberTrialResult["failed"] = MEMBER_CASES.flatMap((name) => {
  const wrong = playMemberCase(name);
  return wrong === null ? [] : [{ name, wrong }];
});
if (argv[2] === "{}") process.stdout.write(`${JSON.stringify({ failed } satisfies MemberTrialResult)}\n`);
