/**
 * The changer of memberships alone (FORMAT.md §8).
 */
import type { ConfChangeRule, Members } from "../../raft/configuration.ts";
import { changeSimply, ConfChangeRefused, enterJoint, leaveJoint, NO_MEMBERS } from "../../raft/configuration.ts";
import { byLengthThenUnits } from "../../base/compare.ts";
import type { Progress } from "../../raft/progress.ts";
import { newProgress, viewOf } from "../../raft/progress.ts";
import type { NodeId } from "../../raft/types.ts";
import { decimal, describeConf, describeProgress } from "./print.ts";
import { parseSteps } from "./steps.ts";
import { CommandError } from "./storage.ts";
import type { Command } from "./transcript.ts";
import { boolean, single, TranscriptError } from "./transcript.ts";

const REFUSALS: Readonly<Record<ConfChangeRule, string>> = {
  "simple-in-joint": "can't apply simple config change in joint config",
  "more-than-one-voter": "more than one voter changed without entering joint config",
  "already-joint": "config is already joint",
  "zero-voter-joint": "can't make a zero-voter config joint",
  "not-joint": "can't leave a non-joint config",
  "removed-all-voters": "removed all voters",
  "voter-and-learner": "a member is a voter and a learner",
};

const INFLIGHT = { maxInflightMessages: 10, maxInflightBytes: Number.POSITIVE_INFINITY };

export class ConfChanger {
  #members: Members = NO_MEMBERS;
  #lastIndex = 0;

  run(command: Command): string {
    try {
      return this.#change(command);
    } catch (error) {
      if (error instanceof ConfChangeRefused) return REFUSALS[error.rule];
      if (error instanceof CommandError) return error.message;
      throw error;
    } finally {
      this.#lastIndex += 1;
    }
  }

  #change({ name, args, input }: Command): string {
    const steps = parseSteps(input);
    const next = Math.max(this.#lastIndex, 1);
    const join = (id: NodeId): Progress => newProgress(id, next, INFLIGHT);
    if (name === "simple") this.#members = changeSimply(this.#members, steps, join);
    else if (name === "enter-joint") {
      const arg = args[0];
      if (arg !== undefined && arg.key !== "autoleave") throw new TranscriptError(`unknown option ${arg.raw}`);
      const autoLeave = arg !== undefined && boolean(single(arg), "autoleave");
      this.#members = enterJoint(this.#members, steps, autoLeave, join);
    } else if (name === "leave-joint") {
      if (steps.length > 0) return "this command takes no input";
      this.#members = leaveJoint(this.#members);
    } else return "unknown command";
    return this.#describe();
  }

  #describe(): string {
    const { conf, progress } = this.#members;
    const members = [...progress.values()].sort((a, b) => byLengthThenUnits(a.id, b.id));
    const lines = members.map((one) => {
      const view = { ...viewOf(one), learner: conf.learners.includes(one.id) };
      return `${decimal(one.id)}: ${describeProgress(view)}\n`;
    });
    return `${describeConf(conf)}\n${lines.join("")}`;
  }
}
