/** What can be asked of the membership now, as commands. Pure. */
import type { Command, ConfView, MembershipStep, ProcessId } from "../../engine/index.ts";
import { type ConfPlace, placeIn } from "../store/selectors.ts";

/** A machine is a voter, a learner, or no member at all: what one can wish it to be. */
export type Wish = "voter" | "learner" | "outside";
export const WISHES: readonly Wish[] = ["voter", "learner", "outside"];

const MACHINES_MAX = 9;

/** The first machine that is not there, or null when all are. */
export function nextMachine(present: readonly ProcessId[]): ProcessId | null {
  for (let i = 1; i <= MACHINES_MAX; i += 1) {
    const id = `n${i}` as ProcessId;
    if (!present.includes(id)) return id;
  }
  return null;
}

export function wishOf(place: ConfPlace): Wish {
  if (place === "learner") return "learner";
  return place === "voter" || place === "new" ? "voter" : "outside";
}

const OPERATIONS: Readonly<Record<Wish, MembershipStep["operation"]>> = {
  voter: "add-voter",
  learner: "add-learner",
  outside: "remove",
};

/** The steps from what is to what is wished; those that are as wished already are left alone. */
export function stepsTo(conf: ConfView | null, wishes: ReadonlyMap<ProcessId, Wish>): readonly MembershipStep[] {
  return [...wishes].flatMap(([id, wish]) =>
    wish === wishOf(placeIn(conf, id)) ? [] : [{ operation: OPERATIONS[wish], id }],
  );
}

export function change(
  leader: ProcessId,
  steps: readonly MembershipStep[],
  transition: "auto" | "implicit" | "explicit" = "auto",
): Command {
  return { type: "membership", member: leader, transition, steps };
}
