/**
 * Who is a member, and how one change turns a membership into the next (thesis §4; etcd confchange.Changer).
 *
 * A change is worked out on a draft and takes effect as a whole or not at all. The progress of a member that stays is
 * kept, so that a demoted or promoted one need not be probed again.
 *
 * In a joint configuration (thesis §4.3) the new voters are the incoming half, the old ones the outgoing half. A voter
 * of the outgoing half can't be a learner at the same time: it is staged in `learnersNext` until the joint
 * configuration is left.
 */
import { byLengthThenUnits } from "../base/compare.ts";
import type { ConfStep } from "./conf-change.ts";
import type { Progress } from "./progress.ts";
import { newProgress } from "./progress.ts";
import type { ConfState, NodeId } from "./types.ts";

/** A membership and the progress of each of its members; both are replaced together, never changed. */
export interface Members {
  readonly conf: ConfState;
  readonly progress: ReadonlyMap<NodeId, Progress>;
}

export const NO_CONF: ConfState = { voters: [], votersOutgoing: [], learners: [], learnersNext: [], autoLeave: false };
export const NO_MEMBERS: Members = { conf: NO_CONF, progress: new Map() };

/** The change can't be made from this membership. Its rule names which of the conditions failed. */
export class ConfChangeRefused extends Error {
  override readonly name = "ConfChangeRefused";
  readonly rule: ConfChangeRule;
  constructor(rule: ConfChangeRule) {
    super(`membership can't change: ${rule}`);
    this.rule = rule;
  }
}

export type ConfChangeRule =
  | "simple-in-joint"
  | "more-than-one-voter"
  | "already-joint"
  | "zero-voter-joint"
  | "not-joint"
  | "removed-all-voters"
  | "voter-and-learner";

export function isJoint(conf: ConfState): boolean {
  return conf.votersOutgoing.length > 0;
}

export function isVoter(conf: ConfState, id: NodeId): boolean {
  return conf.voters.includes(id) || conf.votersOutgoing.includes(id);
}

/** The voters of both halves, each once, in order. */
export function allVoters(conf: ConfState): readonly NodeId[] {
  if (!isJoint(conf)) return conf.voters;
  return sorted(new Set([...conf.voters, ...conf.votersOutgoing]));
}

/** Makes the progress of a member that joins. */
export type Join = (id: NodeId) => Progress;

/**
 * A change that is safe without a joint configuration: at most one voter comes or goes (thesis §4.1).
 *
 * @param most how many may come or go; more than one is not safe
 */
export function changeSimply(members: Members, steps: readonly ConfStep[], join: Join, most = 1): Members {
  if (isJoint(members.conf)) throw new ConfChangeRefused("simple-in-joint");
  const draft = draftOf(members);
  applySteps(draft, steps, join);
  const before = new Set(members.conf.voters);
  const differing = [...before].filter((id) => !draft.incoming.has(id)).length;
  const added = [...draft.incoming].filter((id) => !before.has(id)).length;
  if (differing + added > most) throw new ConfChangeRefused("more-than-one-voter");
  return settle(draft);
}

/** Any change: from now on both the old and the new majority must agree (thesis §4.3). */
export function enterJoint(members: Members, steps: readonly ConfStep[], autoLeave: boolean, join: Join): Members {
  if (isJoint(members.conf)) throw new ConfChangeRefused("already-joint");
  if (members.conf.voters.length === 0) throw new ConfChangeRefused("zero-voter-joint");
  const draft = draftOf(members);
  draft.outgoing = new Set(draft.incoming);
  applySteps(draft, steps, join);
  draft.autoLeave = autoLeave;
  return settle(draft);
}

/** The new half stands alone; who was only in the old one is gone. */
export function leaveJoint(members: Members): Members {
  if (!isJoint(members.conf)) throw new ConfChangeRefused("not-joint");
  const draft = draftOf(members);
  for (const id of draft.learnersNext) draft.learners.add(id);
  draft.learnersNext.clear();
  for (const id of draft.outgoing) if (!draft.incoming.has(id) && !draft.learners.has(id)) draft.progress.delete(id);
  draft.outgoing.clear();
  draft.autoLeave = false;
  return settle(draft);
}

function stepsFor(ids: readonly NodeId[], operation: ConfStep["operation"]): readonly ConfStep[] {
  return ids.map((id) => ({ operation, id }));
}

/** The membership that a snapshot names, all of its members new (etcd confchange.Restore). */
export function membersOf(conf: ConfState, join: Join): Members {
  let members = NO_MEMBERS;
  const oneByOne = (steps: readonly ConfStep[]): void => {
    for (const step of steps) members = changeSimply(members, [step], join);
  };
  if (!isJoint(conf)) {
    oneByOne(stepsFor(conf.voters, "add-voter"));
    oneByOne(stepsFor(conf.learners, "add-learner"));
    return members;
  }
  oneByOne(stepsFor(conf.votersOutgoing, "add-voter"));
  const steps = [
    ...stepsFor(conf.votersOutgoing, "remove"),
    ...stepsFor(conf.voters, "add-voter"),
    ...stepsFor(conf.learners, "add-learner"),
    ...stepsFor(conf.learnersNext, "add-learner"),
  ];
  return enterJoint(members, steps, conf.autoLeave, join);
}

/** Whether somebody who follows the rules could have come to this membership. */
export function isCoherent(conf: ConfState): boolean {
  try {
    const made = membersOf(conf, (id) => newProgress(id, 1, NO_WINDOW)).conf;
    return LISTS.every((list) => sameIds(made[list], conf[list])) && made.autoLeave === conf.autoLeave;
  } catch (error) {
    if (error instanceof ConfChangeRefused) return false;
    throw error;
  }
}

const LISTS = ["voters", "votersOutgoing", "learners", "learnersNext"] as const;
const NO_WINDOW = { maxInflightMessages: 1, maxInflightBytes: 1 };

function sameIds(one: readonly NodeId[], other: readonly NodeId[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}

interface Draft {
  incoming: Set<NodeId>;
  outgoing: Set<NodeId>;
  learners: Set<NodeId>;
  learnersNext: Set<NodeId>;
  autoLeave: boolean;
  progress: Map<NodeId, Progress>;
}

function draftOf({ conf, progress }: Members): Draft {
  return {
    incoming: new Set(conf.voters),
    outgoing: new Set(conf.votersOutgoing),
    learners: new Set(conf.learners),
    learnersNext: new Set(conf.learnersNext),
    autoLeave: conf.autoLeave,
    progress: new Map(progress),
  };
}

/** Later steps see what earlier ones did; all work on the incoming half. */
function applySteps(draft: Draft, steps: readonly ConfStep[], join: Join): void {
  for (const { operation, id } of steps) {
    if (id === "0" || id === "") continue; // etcd's way to say that the application refused the step
    if (operation === "add-voter") addVoter(draft, id, join);
    else if (operation === "add-learner") addLearner(draft, id, join);
    else if (operation === "remove") remove(draft, id);
  }
  if (draft.incoming.size === 0) throw new ConfChangeRefused("removed-all-voters");
}

function addVoter(draft: Draft, id: NodeId, join: Join): void {
  if (!draft.progress.has(id)) draft.progress.set(id, join(id));
  draft.learners.delete(id);
  draft.learnersNext.delete(id);
  draft.incoming.add(id);
}

function addLearner(draft: Draft, id: NodeId, join: Join): void {
  const known = draft.progress.get(id);
  if (draft.learners.has(id)) return;
  remove(draft, id);
  draft.progress.set(id, known ?? join(id));
  if (draft.outgoing.has(id)) draft.learnersNext.add(id);
  else draft.learners.add(id);
}

function remove(draft: Draft, id: NodeId): void {
  draft.incoming.delete(id);
  draft.learners.delete(id);
  draft.learnersNext.delete(id);
  if (!draft.outgoing.has(id)) draft.progress.delete(id);
}

function settle(draft: Draft): Members {
  for (const id of draft.learners)
    if (draft.incoming.has(id) || draft.outgoing.has(id)) throw new ConfChangeRefused("voter-and-learner");
  const conf: ConfState = {
    voters: sorted(draft.incoming),
    votersOutgoing: sorted(draft.outgoing),
    learners: sorted(draft.learners),
    learnersNext: sorted(draft.learnersNext),
    autoLeave: draft.autoLeave,
  };
  return { conf, progress: draft.progress };
}

function sorted(ids: ReadonlySet<NodeId>): readonly NodeId[] {
  return [...ids].sort(byLengthThenUnits);
}
