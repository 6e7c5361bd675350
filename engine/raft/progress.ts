/**
 * What a leader knows about one member, and how fast it may feed it (Figure 2 nextIndex and matchIndex; etcd
 * tracker.Progress and tracker.Inflights).
 *
 * - probe: where the logs agree is not known; one append a round, then wait.
 * - replicate: a stream; `next` moves on as appends leave, as many as the window of flow control holds.
 * - snapshot: what the member needs next was compacted away; nothing leaves until the snapshot is there.
 */
import { removeAll } from "../base/lists.ts";
import type { ProgressState, ProgressView } from "./events.ts";
import type { Index, NodeId } from "./types.ts";

/** The window of appends on their way: the last index and the bytes of each, oldest at `head`. */
interface Window {
  readonly maxMessages: number;
  readonly maxBytes: number;
  ends: Index[];
  sizes: number[];
  head: number;
  bytes: number;
}

export interface Progress {
  readonly id: NodeId;
  state: ProgressState;
  match: Index;
  next: Index;
  /** The highest commit index that it was told; what is beyond is worth an empty append. */
  sentCommit: Index;
  /** Sending waits: a probe is out, or the window was full after the last append. */
  paused: boolean;
  pendingSnapshot: Index;
  active: boolean;
  learner: boolean;
  readonly window: Window;
}

/** Infinity stands for no limit. */
export interface WindowLimits {
  readonly maxInflightMessages: number;
  readonly maxInflightBytes: number;
}

/** A member that joins: nothing is known, but it gets the time of one quorum check to show itself. */
export function newProgress(id: NodeId, next: Index, limits: WindowLimits): Progress {
  return {
    id,
    state: "probe",
    match: 0,
    next,
    sentCommit: 0,
    paused: false,
    pendingSnapshot: 0,
    active: true,
    learner: false,
    window: {
      maxMessages: limits.maxInflightMessages,
      maxBytes: limits.maxInflightBytes,
      ends: [],
      sizes: [],
      head: 0,
      bytes: 0,
    },
  };
}

/** A change of role forgets all that was known but who is a learner. */
export function resetProgress(progress: Progress, match: Index, next: Index): void {
  enter(progress, "probe");
  progress.match = match;
  progress.next = next;
  progress.sentCommit = 0;
  progress.active = false;
}

export function inflightCount(progress: Progress): number {
  return progress.window.ends.length - progress.window.head;
}

/** A limit on bytes lets one more append start below it: the last may exceed it. */
export function windowFull(progress: Progress): boolean {
  const window = progress.window;
  return window.ends.length - window.head >= window.maxMessages || window.bytes >= window.maxBytes;
}

export function isPaused(progress: Progress): boolean {
  return progress.paused || progress.state === "snapshot";
}

export function viewOf(progress: Progress): ProgressView {
  return {
    state: progress.state,
    match: progress.match,
    next: progress.next,
    learner: progress.learner,
    paused: isPaused(progress),
    pendingSnapshot: progress.pendingSnapshot,
    active: progress.active,
    inflight: inflightCount(progress),
    full: windowFull(progress),
  };
}

/** After a snapshot, probing starts behind it: it arrived, or what is known to match is further still. */
export function becomeProbe(progress: Progress): void {
  const pending = progress.state === "snapshot" ? progress.pendingSnapshot : 0;
  enter(progress, "probe");
  progress.next = Math.max(progress.match, pending) + 1;
  capSentCommit(progress);
}

export function becomeReplicate(progress: Progress): void {
  enter(progress, "replicate");
  progress.next = progress.match + 1;
}

export function becomeSnapshot(progress: Progress, index: Index): void {
  enter(progress, "snapshot");
  progress.pendingSnapshot = index;
  progress.next = index + 1;
  progress.sentCommit = index;
}

/** An append with these entries left; an empty one takes no place in the window and does not pause a probe. */
export function noteSent(progress: Progress, entries: number, bytes: number): void {
  if (progress.state === "probe") {
    if (entries > 0) progress.paused = true;
    return;
  }
  if (entries > 0) {
    progress.next += entries;
    progress.window.ends.push(progress.next - 1);
    progress.window.sizes.push(bytes);
    progress.window.bytes += bytes;
  }
  progress.paused = windowFull(progress);
}

/** The member holds everything up to `index` (Figure 2). False when that was known. */
export function noteMatch(progress: Progress, index: Index): boolean {
  if (index <= progress.match) return false;
  progress.match = index;
  progress.next = Math.max(progress.next, index + 1);
  progress.paused = false;
  return true;
}

/** Appends up to `index` arrived: their places in the window are free again. */
export function freeInflight(progress: Progress, index: Index): void {
  const window = progress.window;
  while (window.head < window.ends.length && (window.ends[window.head] ?? 0) <= index) {
    window.bytes -= window.sizes[window.head] ?? 0;
    window.head += 1;
  }
  if (window.head === window.ends.length) {
    if (window.head > 0) emptyWindow(window);
  } else if (window.head > 64 && window.head * 2 > window.ends.length) {
    window.ends.splice(0, window.head);
    window.sizes.splice(0, window.head);
    window.head = 0;
  }
}

/**
 * An append was refused: go back, at once to where the logs may agree (§5.3). False when the refusal is of an append
 * that is not the last word: the stream has been acknowledged past it, or the probe it answers is not the current one.
 */
export function noteRefused(progress: Progress, refused: Index, mayMatch: Index): boolean {
  if (progress.state === "replicate") {
    if (refused <= progress.match) return false;
    progress.next = progress.match + 1;
  } else {
    if (progress.next - 1 !== refused) return false;
    progress.next = Math.max(Math.min(refused, mayMatch + 1), progress.match + 1);
    progress.paused = false;
  }
  capSentCommit(progress);
  return true;
}

/** The commit index is news to the member, and it holds entries that the news is about or will soon. */
export function commitIsNews(progress: Progress, commit: Index): boolean {
  return commit > progress.sentCommit && progress.sentCommit < progress.next - 1;
}

function capSentCommit(progress: Progress): void {
  progress.sentCommit = Math.min(progress.sentCommit, progress.next - 1);
}

function enter(progress: Progress, state: ProgressState): void {
  progress.state = state;
  progress.paused = false;
  progress.pendingSnapshot = 0;
  if (progress.window.ends.length > 0) emptyWindow(progress.window);
}

function emptyWindow(window: Window): void {
  removeAll(window.ends);
  removeAll(window.sizes);
  window.head = 0;
  window.bytes = 0;
}

/** A progress as plain data, the window without what was acknowledged. */
export interface ProgressCheckpoint extends Omit<Progress, "window"> {
  readonly ends: readonly Index[];
  readonly sizes: readonly number[];
}

export function saveProgress(progress: Progress): ProgressCheckpoint {
  const { window, ...rest } = progress;
  return { ...rest, ends: window.ends.slice(window.head), sizes: window.sizes.slice(window.head) };
}

export function loadProgress(saved: ProgressCheckpoint, limits: WindowLimits): Progress {
  const { ends, sizes, ...rest } = saved;
  const window: Window = {
    maxMessages: limits.maxInflightMessages,
    maxBytes: limits.maxInflightBytes,
    ends: [...ends],
    sizes: [...sizes],
    head: 0,
    bytes: sizes.reduce((sum, bytes) => sum + bytes, 0),
  };
  return { ...rest, window };
}
