/**
 * The words of go.etcd.io/raft for what a peer sends, hands out and knows (FORMAT.md §4).
 */
import { unreachable } from "../../base/assert.ts";
import type { ConfChange, ConfOperation } from "../../raft/conf-change.ts";
import { decodeConfChange } from "../../raft/conf-change.ts";
import { isJoint } from "../../raft/configuration.ts";
import type { ProgressState, ProgressView } from "../../raft/events.ts";
import type { Persist, ReadState, Ready, Written } from "../../raft/peer.ts";
import type { ConfState, Entry, EntryType, HardState, Message, NodeId, Role, Snapshot } from "../../raft/types.ts";

/** What travels in an interaction test: messages between peers, and those to and from the threads of a node's storage. */
export type Wire =
  | { readonly kind: "peer"; readonly message: Message }
  | { readonly kind: "append"; readonly from: NodeId; readonly persist: Persist }
  | { readonly kind: "append-done"; readonly to: NodeId; readonly written: Written }
  | { readonly kind: "apply"; readonly from: NodeId; readonly entries: readonly Entry[] }
  | { readonly kind: "apply-done"; readonly to: NodeId; readonly entries: readonly Entry[] };

export const APPEND_THREAD = "AppendThread";
export const APPLY_THREAD = "ApplyThread";

/** Ids are hexadecimal in messages and log lines, decimal in tables and states. */
export function hex(id: NodeId | null): string {
  return id ?? "0";
}

export function decimal(id: NodeId | null): string {
  return id === null ? "0" : BigInt(`0x${id}`).toString();
}

export function messageType(message: Message): string {
  switch (message.type) {
    case "RequestVote":
      return message.pre ? "MsgPreVote" : "MsgVote";
    case "RequestVoteReply":
      return message.pre ? "MsgPreVoteResp" : "MsgVoteResp";
    case "AppendEntries":
      return "MsgApp";
    case "AppendEntriesReply":
      return "MsgAppResp";
    case "Heartbeat":
      return "MsgHeartbeat";
    case "HeartbeatReply":
      return "MsgHeartbeatResp";
    case "InstallSnapshot":
      return "MsgSnap";
    case "TimeoutNow":
      return "MsgTimeoutNow";
    case "ForwardProposal":
      return "MsgProp";
    case "ForwardTransfer":
      return "MsgTransferLeader";
    case "ReadIndex":
      return "MsgReadIndex";
    case "ReadIndexReply":
      return "MsgReadIndexResp";
    default:
      return unreachable(message);
  }
}

export function wireType(wire: Wire): string {
  switch (wire.kind) {
    case "peer":
      return messageType(wire.message);
    case "append":
      return "MsgStorageAppend";
    case "append-done":
      return "MsgStorageAppendResp";
    case "apply":
      return "MsgStorageApply";
    case "apply-done":
      return "MsgStorageApplyResp";
    default:
      return unreachable(wire);
  }
}

/** All of etcd's; of some none is ever under way here. */
export const MESSAGE_TYPES: ReadonlySet<string> = new Set([
  "MsgHup",
  "MsgBeat",
  "MsgProp",
  "MsgApp",
  "MsgAppResp",
  "MsgVote",
  "MsgVoteResp",
  "MsgSnap",
  "MsgHeartbeat",
  "MsgHeartbeatResp",
  "MsgUnreachable",
  "MsgSnapStatus",
  "MsgCheckQuorum",
  "MsgTransferLeader",
  "MsgTimeoutNow",
  "MsgReadIndex",
  "MsgReadIndexResp",
  "MsgPreVote",
  "MsgPreVoteResp",
  "MsgStorageAppend",
  "MsgStorageAppendResp",
  "MsgStorageApply",
  "MsgStorageApplyResp",
  "MsgForgetLeader",
]);

/** The fields that a line shows; what a message does not have is as if zero. */
interface Fields {
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly term: number;
  readonly logTerm?: number;
  readonly index?: number;
  readonly rejectHint?: number | null;
  readonly commit?: number;
  readonly vote?: NodeId | null;
  readonly entries?: readonly string[];
  readonly snapshot?: Snapshot | null;
  readonly responses?: readonly Wire[];
}

export function describeWire(wire: Wire): string {
  return line(fieldsOf(wire));
}

function fieldsOf(wire: Wire): Fields {
  const type = wireType(wire);
  switch (wire.kind) {
    case "peer":
      return { ...messageFields(wire.message), type };
    case "append":
      return { ...appendFields(wire.from, wire.persist), type, responses: responsesOf(wire) };
    case "append-done": {
      const { term, last, snapshot } = wire.written;
      return {
        from: APPEND_THREAD,
        to: wire.to,
        type,
        term,
        logTerm: last?.term ?? 0,
        index: last?.index ?? 0,
        snapshot,
      };
    }
    case "apply":
      return {
        from: wire.from,
        to: APPLY_THREAD,
        type,
        term: 0,
        entries: wire.entries.map(describeEntry),
        responses: responsesOf(wire),
      };
    case "apply-done":
      return { from: APPLY_THREAD, to: wire.to, type, term: 0, entries: wire.entries.map(describeEntry) };
    default:
      return unreachable(wire);
  }
}

function appendFields(from: NodeId, { hardState, entries, snapshot }: Persist): Omit<Fields, "type"> {
  return {
    from,
    to: APPEND_THREAD,
    term: hardState?.term ?? 0,
    commit: hardState?.commit ?? 0,
    vote: hardState?.vote ?? null,
    entries: entries.map(describeEntry),
    snapshot,
  };
}

/** What a thread of the storage answers when it has done its work: to others, and to its node. */
export function responsesOf(wire: Wire): readonly Wire[] {
  if (wire.kind === "apply") return [{ kind: "apply-done", to: wire.from, entries: wire.entries }];
  if (wire.kind !== "append") return [];
  const acks: Wire[] = wire.persist.then.map((message) => ({ kind: "peer", message }));
  const written = wire.persist.written;
  return written === null ? acks : [...acks, { kind: "append-done", to: wire.from, written }];
}

/** The same work without its answers, as the thread prints it. */
export function describeWork(wire: Wire): string {
  return line({ ...fieldsOf(wire), responses: [] });
}

function messageFields(message: Message): Omit<Fields, "type"> {
  const { from, to, term } = message;
  switch (message.type) {
    case "RequestVote":
      return { from, to, term, logTerm: message.last.term, index: message.last.index };
    case "RequestVoteReply":
      return { from, to, term, rejectHint: message.granted ? null : 0 };
    case "AppendEntries":
      return {
        from,
        to,
        term,
        logTerm: message.prev.term,
        index: message.prev.index,
        commit: message.leaderCommit,
        entries: message.entries.map(describeEntry),
      };
    case "AppendEntriesReply":
      return {
        from,
        to,
        term,
        logTerm: message.hint.term,
        index: message.index,
        rejectHint: message.rejected ? message.hint.index : null,
      };
    case "Heartbeat":
      return { from, to, term, commit: message.leaderCommit };
    case "InstallSnapshot":
      return { from, to, term, snapshot: message.snapshot };
    case "ForwardProposal": {
      const entries = message.entries.map((entry) => describeEntry({ term: 0, index: 0, ...entry }));
      return { from, to, term, entries };
    }
    case "ReadIndex":
      return { from, to, term, entries: [contextEntry(message.context)] };
    case "ReadIndexReply":
      return { from, to, term, index: message.index, entries: [contextEntry(message.context)] };
    case "HeartbeatReply":
    case "TimeoutNow":
    case "ForwardTransfer":
      return { from, to, term };
    default:
      return unreachable(message);
  }
}

function contextEntry(context: string): string {
  return `0/0 EntryNormal ${JSON.stringify(context)}`;
}

function line(fields: Fields): string {
  const { entries = [], snapshot = null, responses = [], rejectHint = null, commit = 0, vote = null } = fields;
  let text = `${fields.from}->${fields.to} ${fields.type} Term:${fields.term} Log:${fields.logTerm ?? 0}/${fields.index ?? 0}`;
  if (rejectHint !== null) text += ` Rejected (Hint: ${rejectHint})`;
  if (commit !== 0) text += ` Commit:${commit}`;
  if (vote !== null) text += ` Vote:${decimal(vote)}`;
  if (entries.length === 1) text += ` Entries:[${entries[0] ?? ""}]`;
  else if (entries.length > 1) text += ` Entries:[${entries.map((entry) => `\n  ${entry}`).join("")}\n]`;
  if (snapshot !== null && snapshot.last.index > 0) text += `\n  Snapshot: ${describeSnapshot(snapshot)}`;
  if (responses.length > 0) {
    const inner = responses.map((response) => `\n  ${describeWire(response).replaceAll("\n", "\n  ")}`).join("");
    text += ` Responses:[${inner}\n]`;
  }
  return text;
}

export function describeEntry(entry: Entry): string {
  const payload = entry.type === "normal" ? quoted(entry.data) : describeSteps(entry.type, entry.data);
  return `${entry.term}/${entry.index} ${entryType(entry.type)}${payload === "" ? "" : ` ${payload}`}`;
}

function entryType(type: EntryType): string {
  if (type === "normal") return "EntryNormal";
  return type === "conf-change" ? "EntryConfChange" : "EntryConfChangeV2";
}

const STEP_LETTERS: Readonly<Record<ConfOperation, string>> = {
  "add-voter": "v",
  "add-learner": "l",
  remove: "r",
  update: "u",
};

function describeSteps(type: EntryType, data: Uint8Array): string {
  const steps = decodeConfChange(type, data).steps;
  return steps.map(({ operation, id }) => `${STEP_LETTERS[operation]}${decimal(id)}`).join(" ");
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\x07": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
};

/** As Go's %q writes a string: bytes that are no text are escaped. */
export function quoted(data: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    const bytes = Array.from(data, (byte) => (byte < 0x80 ? quotedChar(String.fromCharCode(byte)) : hexByte(byte)));
    return `"${bytes.join("")}"`;
  }
  return `"${Array.from(text, quotedChar).join("")}"`;
}

function quotedChar(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const escape = ESCAPES[char];
  if (escape !== undefined) return escape;
  if (code < 0x20 || code === 0x7f) return hexByte(code);
  if (/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(char) || char === " ") return char;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

function hexByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, "0")}`;
}

export function describeSnapshot({ last, conf }: Snapshot): string {
  return `Index:${last.index} Term:${last.term} ConfState:${describeConfState(conf)}`;
}

function decimals(ids: readonly NodeId[]): string {
  return `[${ids.map(decimal).join(" ")}]`;
}

function hexes(ids: readonly NodeId[]): string {
  return `(${ids.map(hex).join(" ")})`;
}

/** The decimal form, of snapshots. */
function describeConfState(conf: ConfState): string {
  const voters = `Voters:${decimals(conf.voters)} VotersOutgoing:${decimals(conf.votersOutgoing)}`;
  const learners = `Learners:${decimals(conf.learners)} LearnersNext:${decimals(conf.learnersNext)}`;
  return `${voters} ${learners} AutoLeave:${conf.autoLeave}`;
}

/**
 * Protobuf's text form, of the one log line that prints the message itself (FORMAT.md §5 has the form above for it, which
 * the library does not print). Its blanks are single here; builds of the newer protobuf library may double them all.
 */
export function describeConfStateAsText(conf: ConfState): string {
  const field = (name: string, ids: readonly NodeId[]): readonly string[] => ids.map((id) => `${name}:${decimal(id)}`);
  return [
    ...field("voters", conf.voters),
    ...field("learners", conf.learners),
    ...field("voters_outgoing", conf.votersOutgoing),
    ...field("learners_next", conf.learnersNext),
    `auto_leave:${conf.autoLeave}`,
  ].join(" ");
}

/** The hexadecimal form, of log lines. */
export function describeConf(conf: ConfState): string {
  let text = `voters=${hexes(conf.voters)}`;
  if (isJoint(conf)) text += `&&${hexes(conf.votersOutgoing)}`;
  if (conf.learners.length > 0) text += ` learners=${hexes(conf.learners)}`;
  if (conf.learnersNext.length > 0) text += ` learners_next=${hexes(conf.learnersNext)}`;
  return conf.autoLeave ? `${text} autoleave` : text;
}

const PROGRESS_STATES: Readonly<Record<ProgressState, string>> = {
  probe: "StateProbe",
  replicate: "StateReplicate",
  snapshot: "StateSnapshot",
};

export function describeProgress(progress: ProgressView): string {
  let text = `${PROGRESS_STATES[progress.state]} match=${progress.match} next=${progress.next}`;
  if (progress.learner) text += " learner";
  if (progress.paused) text += " paused";
  if (progress.pendingSnapshot > 0) text += ` pendingSnap=${progress.pendingSnapshot}`;
  if (!progress.active) text += " inactive";
  if (progress.inflight > 0) text += ` inflight=${progress.inflight}${progress.full ? "[full]" : ""}`;
  return text;
}

const STATES: Readonly<Record<Role, string>> = {
  follower: "StateFollower",
  candidate: "StateCandidate",
  leader: "StateLeader",
  "pre-candidate": "StatePreCandidate",
};

export function describeRole(role: Role): string {
  return STATES[role];
}

function describeHardState({ term, vote, commit }: HardState): string {
  return `Term:${term}${vote === null ? "" : ` Vote:${decimal(vote)}`} Commit:${commit}`;
}

/** The context as Go prints bytes. */
function describeReadState({ index, context }: ReadState): string {
  return `{${index} [${new TextEncoder().encode(context).join(" ")}]}`;
}

/** A Ready, and the messages that leave with it, which depend on who keeps the log. */
export function describeReady(ready: Ready | null, messages: readonly Wire[]): string {
  const lines: string[] = [];
  const section = (title: string, items: readonly string[]): void => {
    if (items.length > 0) lines.push(title, ...items);
  };
  if (ready !== null) {
    const { soft, persist, readStates, apply } = ready;
    if (soft !== null) lines.push(`Lead:${decimal(soft.leader)} State:${describeRole(soft.role)}`);
    if (persist !== null && persist.hardState !== null) lines.push(`HardState ${describeHardState(persist.hardState)}`);
    if (readStates.length > 0) lines.push(`ReadStates [${readStates.map(describeReadState).join(" ")}]`);
    section("Entries:", (persist?.entries ?? []).map(describeEntry));
    if (persist !== null && persist.snapshot !== null) lines.push(`Snapshot ${describeSnapshot(persist.snapshot)}`);
    section("CommittedEntries:", apply.map(describeEntry));
  }
  section("Messages:", messages.map(describeWire));
  if (lines.length === 0) return "<empty Ready>";
  return `${[`Ready MustSync=${ready?.persist?.mustSync ?? false}:`, ...lines].join("\n")}\n`;
}

const OPERATIONS: Readonly<Record<ConfOperation, string>> = {
  "add-voter": "ConfChangeAddNode",
  remove: "ConfChangeRemoveNode",
  update: "ConfChangeUpdateNode",
  "add-learner": "ConfChangeAddLearnerNode",
};

const TRANSITIONS: Readonly<Record<ConfChange["transition"], string>> = {
  auto: "Auto",
  implicit: "JointImplicit",
  explicit: "JointExplicit",
};

export function describeConfChange({ transition, steps, context }: ConfChange): string {
  let text = `transition:ConfChangeTransition${TRANSITIONS[transition]}`;
  for (const { operation, id } of steps) text += ` changes:{type:${OPERATIONS[operation]} node_id:${decimal(id)}}`;
  return context.length === 0 ? text : `${text} context:${quoted(context)}`;
}
