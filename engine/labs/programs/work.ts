/** What every lock is for: the steps between believing that one holds it and giving it back. */
import type { Micros } from "../../base/units.ts";
import type { CommonLocals, Here, LockParams, Step, Turn } from "../program.ts";

export interface WorkLocals extends CommonLocals {
  readonly params: LockParams;
  readonly workUntil: Micros;
  readonly believesSince: Micros;
  readonly written: number;
  /** How often it has held the lock. */
  readonly held: number;
  /** The last write was refused. */
  readonly refused: boolean;
}

export const NO_WORK = { workUntil: 0, believesSince: 0, written: 0, held: 0, refused: false };

/** Into the work: what changes when it believes. */
export function believing({ mono }: Here, params: LockParams, token: string | null): Partial<WorkLocals> {
  return {
    state: "working",
    believes: true,
    token,
    watches: null,
    believesSince: mono,
    workUntil: mono + params.work,
    written: 0,
  };
}

function nextWrite({ params, written, believesSince }: WorkLocals): Micros {
  const offset = params.writes[written];
  return offset === undefined ? Number.POSITIVE_INFINITY : believesSince + offset;
}

interface Ways {
  /** Where it goes when its work is done, and when it finds that its hold is over. */
  readonly done: string;
  readonly lost: string;
}

/** `work`, `check`, `write`: the mended programs look at their own deadline before each write. */
export function workSteps<L extends WorkLocals, Request>({
  done,
  lost,
}: Ways): Readonly<Record<string, Step<L, Request>>> {
  const isOver = ({ params, deadline }: L, { mono }: Here): boolean =>
    params.ownDeadline && deadline !== null && mono >= deadline;
  const gone = { to: lost, set: { believes: false } as Partial<L> } satisfies Turn<L>;
  return {
    work: {
      act: (l) => {
        const end = l.params.ownDeadline && l.deadline !== null ? Math.min(l.deadline, l.workUntil) : l.workUntil;
        return { do: "sleep", until: Math.min(end, nextWrite(l)) };
      },
      then: (l, _got, here) => {
        if (isOver(l, here)) return gone;
        if (nextWrite(l) <= here.mono) return { to: "check" };
        if (here.mono < l.workUntil) return { to: "work" };
        // Its work is done: whether or not the servers come to hear of it, it makes no more use of the lock.
        return { to: done, set: { held: l.held + 1, believes: false, state: "releasing" } as Partial<L> };
      },
    },
    check: {
      act: () => ({ do: "decide" }),
      then: (l, _got, here) => (isOver(l, here) ? gone : { to: "write" }),
    },
    write: {
      act: (l, { self }) => ({
        do: "write",
        value: `${self}#${l.held * l.params.writes.length + l.written + 1}`,
        token: l.token,
      }),
      then: (l, got) => ({
        to: "work",
        set: { written: l.written + 1, refused: got.type === "written" && !got.taken } as Partial<L>,
      }),
    },
  };
}
