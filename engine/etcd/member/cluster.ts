/**
 * Who may join and leave: the checks that etcd makes before it proposes a change of membership (strict reconfig check),
 * so that no change leaves the cluster without a quorum that runs.
 */
import type { ConfChange } from "../../raft/conf-change.ts";
import { CODES, type EtcdError, etcdError } from "../api/errors.ts";
import type { MemberId } from "../api/ids.ts";
import { type ClusterMember, encodeChange, type MemberChange } from "../cluster/membership.ts";
import type { Core } from "./core.ts";

/** A learner is ready when it has that much of what the leader has. */
const READY_PERCENT = 90;

/** etcd answers it in its clients' form, which gRPC takes for an error of no known kind. */
const NOT_ENOUGH_STARTED: EtcdError = { code: CODES.Unknown, message: etcdError("MemberNotEnoughStarted").message };

/** A member has started once it has told its name. */
const started = ({ name }: ClusterMember): boolean => name !== "";
const quorumOf = (members: number): number => Math.floor(members / 2) + 1;

/** What raft is told of a change of membership. */
export function confChangeOf(change: MemberChange): ConfChange {
  const { kind, member } = change;
  const operation = ({ add: "add-voter", promote: "add-voter", remove: "remove", update: "update" } as const)[kind];
  const step = {
    operation: kind === "add" && member.isLearner ? ("add-learner" as const) : operation,
    id: member.node,
  };
  return { transition: "auto", steps: [step], context: encodeChange(change) };
}

export function mayAdd(core: Core, isLearner: boolean): EtcdError | null {
  const voters = core.state.membership.voters();
  const running = voters.filter(started).length;
  const members = voters.length + 1;
  // A single member may always be joined by a second one.
  if (!isLearner && !(running === 1 && members === 2) && running < quorumOf(members)) return NOT_ENOUGH_STARTED;
  // One that has not started is connected to nobody.
  const isHealthy = voters.every((member) => (isLearner || started(member)) && isActive(core, member));
  return isHealthy ? null : etcdError("Unhealthy");
}

export function mayRemove(core: Core, id: MemberId): EtcdError | null {
  const member = core.state.membership.get(id);
  if (member?.isLearner === true) return null;
  const voters = core.state.membership.voters();
  const left = voters.filter((other) => other.id !== id);
  if (left.length === 0 || left.filter(started).length < quorumOf(left.length)) return NOT_ENOUGH_STARTED;
  // One that is down, or none at all, takes nothing from the quorum that is active.
  if (member === null || (member.node !== core.host.id && !isActive(core, member))) return null;
  const active = voters.filter((other) => isActive(core, other)).length;
  return active - 1 < 1 + Math.floor((voters.length - 1) / 2) ? etcdError("Unhealthy") : null;
}

/** On the leader. */
export function mayPromote(core: Core, id: MemberId): EtcdError | null {
  const { host, state } = core;
  const member = state.membership.get(id);
  const progress = host.progress();
  const matchOf = (node: string): number | null => progress.find((each) => each.id === node)?.progress.match ?? null;
  const match = member === null ? null : matchOf(member.node);
  if (match !== null && match * 100 < (matchOf(host.id) ?? 0) * READY_PERCENT) return etcdError("LearnerNotReady");
  // The learner counts as a voter that runs.
  const voters = state.membership.voters();
  if (voters.filter(started).length + 1 < quorumOf(voters.length + 1)) return NOT_ENOUGH_STARTED;
  return null;
}

/** Whether it was heard from lately. Only the leader hears from all; elsewhere nobody is thought to be down. */
function isActive({ host, leader }: Core, member: ClusterMember): boolean {
  const { node } = member;
  if (node === host.id || leader !== host.id) return true;
  const known = host.progress().find(({ id }) => id === node);
  // One that never started was never heard from.
  return known === undefined || (known.progress.active && started(member));
}
