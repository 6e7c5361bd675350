/** Which of the members' configurations counts now, and what a majority of it is. Pure. */
import type { ConfView, MemberView, ProcessId } from "../../engine/index.ts";

export function majority(members: number): number {
  return Math.floor(members / 2) + 1;
}

/** One set of voters, or while it is joint both, the new one first: each needs a majority of its own (thesis §4.3). */
export function halvesOf({ voters, votersOutgoing }: ConfView): readonly (readonly ProcessId[])[] {
  return votersOutgoing.length > 0 ? [voters, votersOutgoing] : [voters];
}

/** Whether those that `counts` holds for are a majority of every half. */
export function isQuorum(conf: ConfView, counts: (id: ProcessId) => boolean): boolean {
  return halvesOf(conf).every((half) => half.filter(counts).length >= majority(half.length));
}

type Members = ReadonlyMap<ProcessId, MemberView>;

let last: { readonly members: Members; readonly conf: ConfView | null } | null = null;

/** The leader's; without one, that of the member whose log is committed furthest in the highest term. */
export function currentConf(members: Members): ConfView | null {
  if (last?.members === members) return last.conf;
  let best: MemberView | null = null;
  for (const member of members.values())
    if (member.conf !== null && member.conf.voters.length > 0 && (best === null || isAhead(member, best)))
      best = member;
  last = { members, conf: best?.conf ?? null };
  return last.conf;
}

/** Leading before running before standing still, then by term, then by how much is applied. */
function isAhead(a: MemberView, b: MemberView): boolean {
  const [x, y] = [rank(a), rank(b)];
  for (const [i, figure] of x.entries()) if (figure !== y[i]) return figure > (y[i] ?? 0);
  return false;
}

function rank({ role, liveness, term, applied }: MemberView): readonly number[] {
  const up = liveness === "running" || liveness === "paused";
  return [Number(up && role === "leader"), Number(up), term, applied];
}
