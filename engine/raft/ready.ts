/**
 * What goes out, and what comes back about it (etcd RawNode: Ready and Advance; asynchronous: MsgStorageAppend and
 * MsgStorageApply, as messages to two threads).
 */
import { assert } from "../base/assert.ts";
import type { Done, Persist, ReadState, Ready, Sendable, Written } from "./interface.ts";
import { NO_ENTRIES } from "./log.ts";
import { appliedTo } from "./membership.ts";
import { entriesBytes, payloadBytes } from "./size.ts";
import type { PeerState } from "./state.ts";
import { emit } from "./state.ts";
import { receive } from "./step.ts";
import type { Ack, Entry, HardState } from "./types.ts";

const NO_MESSAGES: Sendable[] = [];
const NO_ACKS: Ack[] = [];
const NO_READS: readonly ReadState[] = [];

function hardStateChanged({ givenHardState: given, term, vote, log }: PeerState): boolean {
  return given.commit !== log.commit || given.term !== term || given.vote !== vote;
}

export function hasReady(peer: PeerState): boolean {
  const { log } = peer;
  return (
    peer.send.length > 0 ||
    peer.acks.length > 0 ||
    log.hasNextUnstable ||
    hardStateChanged(peer) ||
    peer.givenRole !== peer.role ||
    peer.givenLeader !== peer.leader ||
    log.hasNextToApply(!peer.settings.asyncStorage) ||
    log.hasNextSnapshot ||
    peer.readStates.length > 0
  );
}

/** Takes all there is to do. What was taken is under way: it does not come a second time. */
export function takeReady(peer: PeerState): Ready | null {
  const soft =
    peer.givenRole === peer.role && peer.givenLeader === peer.leader ? null : { leader: peer.leader, role: peer.role };
  if (soft !== null) {
    peer.givenRole = soft.role;
    peer.givenLeader = soft.leader;
  }
  const persist = takePersist(peer);
  const apply = takeApply(peer);
  const send = peer.send.length === 0 ? NO_MESSAGES : peer.send;
  peer.send = NO_MESSAGES;
  const readStates = peer.readStates.length === 0 ? NO_READS : peer.readStates;
  if (readStates !== NO_READS) peer.readStates = [];
  if (soft === null && persist === null && send === NO_MESSAGES && apply === NO_ENTRIES && readStates === NO_READS)
    return null;
  return { soft, persist, send, apply, readStates };
}

function takePersist(peer: PeerState): Persist | null {
  const { log, acks } = peer;
  let hardState: HardState | null = null;
  let mustSync = log.hasNextUnstable;
  if (hardStateChanged(peer)) {
    const given = peer.givenHardState;
    hardState = { term: peer.term, vote: peer.vote, commit: log.commit };
    mustSync ||= given.term !== hardState.term || given.vote !== hardState.vote;
    peer.givenHardState = hardState;
  }
  const snapshot = log.takeSnapshot();
  const nothing = hardState === null && snapshot === null && acks.length === 0 && !log.hasNextUnstable;
  // Who waits for each write in turn is told to report also what an earlier report could not settle.
  if (nothing && (peer.settings.asyncStorage || !log.hasUnstable)) return null;
  const written: Written | null =
    log.hasUnstable || snapshot !== null
      ? { term: peer.term, last: log.hasUnstable ? log.last() : null, snapshot }
      : null;
  const entries = log.takeUnstable();
  peer.acks = NO_ACKS;
  return { hardState, entries, snapshot, mustSync, then: acks.length > 0 ? acks : NO_ACKS, written };
}

/** With asynchronous storage only what is durable here may be applied; its report may come before the write's. */
function takeApply(peer: PeerState): readonly Entry[] {
  return peer.log.takeToApply(!peer.settings.asyncStorage);
}

export function advance(peer: PeerState, done: Done): void {
  if (done.type === "applied") {
    const last = done.entries.at(-1);
    if (last === undefined) return;
    appliedTo(peer, last.index, entriesBytes(done.entries));
    peer.uncommittedBytes = Math.max(0, peer.uncommittedBytes - payloadBytes(done.entries));
    return;
  }
  for (const ack of done.then) if (ack.to === peer.id) receive(peer, ack);
  if (done.written !== null) takeWritten(peer, done.written);
}

/**
 * A write is durable. If the term has moved on since it was asked for, its entries may have been replaced by others of
 * the same index: it vouches for nothing, and a later report will (etcd MsgStorageAppendResp). A snapshot is committed
 * state and can't be replaced.
 */
function takeWritten(peer: PeerState, written: Written): void {
  assert(written.term <= peer.term, "a write was asked for in a term that is still to come");
  if (written.last !== null) {
    if (written.term < peer.term)
      emit(peer, {
        type: "write-of-lower-term",
        term: peer.term,
        why: { rule: "lower-term", theirs: written.term, ours: peer.term },
      });
    else peer.log.stableTo(written.last);
  }
  if (written.snapshot === null) return;
  peer.log.snapshotStable(written.snapshot.last.index);
  appliedTo(peer, written.snapshot.last.index, 0);
}
