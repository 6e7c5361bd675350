/**
 * Proposals: what a leader lets into the log (§8), and the rules for changes of membership among them (thesis §4.1).
 */
import { assert } from "../base/assert.ts";
import type { ConfChange } from "./conf-change.ts";
import { decodeConfChange } from "./conf-change.ts";
import { isJoint } from "./configuration.ts";
import type { Reason } from "./events.ts";
import { appendOwn, broadcastAppend } from "./replication.ts";
import type { PeerState } from "./state.ts";
import { emit } from "./state.ts";
import type { Proposal } from "./types.ts";
import { NO_DATA } from "./types.ts";

const REFUSED: Proposal = { type: "normal", data: NO_DATA, refused: true };

/**
 * Appends and sends out at once, or drops all of it.
 *
 * @returns null, or why it was dropped
 */
export function proposeAsLeader(peer: PeerState, proposals: readonly Proposal[]): Reason | null {
  assert(peer.role === "leader", "only a leader appends");
  const why = whyDrop(peer);
  if (why !== null) return dropProposal(peer, why);
  const dropped = appendOwn(peer, screenConfChanges(peer, proposals));
  if (dropped !== null) return dropProposal(peer, dropped);
  broadcastAppend(peer);
  return null;
}

function whyDrop(peer: PeerState): Reason | null {
  if (peer.own === null) return { rule: "not-a-member" };
  if (peer.transferee !== null) return { rule: "transfer-in-progress", to: peer.transferee };
  return null;
}

export function dropProposal(peer: PeerState, why: Reason): Reason {
  emit(peer, { type: "proposal-dropped", term: peer.term, why });
  return why;
}

/**
 * A change of membership that may not be made now becomes an empty entry, so that its proposer sees it come back
 * without effect. The check is against what is applied here; what is not applied yet may differ (hence the switch).
 */
function screenConfChanges(peer: PeerState, proposals: readonly Proposal[]): readonly Proposal[] {
  if (proposals.every((proposal) => proposal.type === "normal")) return proposals;
  return proposals.map((proposal, i) => {
    if (proposal.type === "normal") return proposal;
    const change = decodeConfChange(proposal.type, proposal.data);
    const why = whyRefuseChange(peer, change);
    if (why !== null && !peer.settings.disableConfChangeValidation) {
      emit(peer, { type: "conf-change-refused", change, conf: peer.conf, why });
      return REFUSED;
    }
    peer.pendingConfIndex = peer.log.lastIndex + i + 1;
    return proposal;
  });
}

function whyRefuseChange(peer: PeerState, change: ConfChange): Reason | null {
  if (peer.pendingConfIndex > peer.log.applied)
    return { rule: "conf-change-pending", index: peer.pendingConfIndex, applied: peer.log.applied };
  const leaves = change.steps.length === 0;
  if (isJoint(peer.conf) && !leaves) return { rule: "leave-joint-first" };
  if (!isJoint(peer.conf) && leaves) return { rule: "not-joint" };
  return null;
}
