/**
 * A cluster of peers under the commands of an interaction test (FORMAT.md §2, §3).
 *
 * Each node has its peer, its storage, its queues of storage work and the history of its state machine; messages in
 * flight are one list for all. Nothing happens but by a command.
 */
import { rngFor } from "../../base/rng.ts";
import type { ConfChange, Transition } from "../../raft/conf-change.ts";
import { confChangeProposal, decodeConfChange } from "../../raft/conf-change.ts";
import { isVoter } from "../../raft/configuration.ts";
import type { Input, Peer, Persist, Ready, StepError } from "../../raft/peer.ts";
import { createPeer } from "../../raft/peer.ts";
import type { Entry, HardState, NodeId, Snapshot } from "../../raft/types.ts";
import { nodeId } from "../../raft/types.ts";
import type { Level } from "./log-lines.ts";
import { LEVELS, logLines } from "./log-lines.ts";
import type { NodeOptions } from "./node-options.ts";
import { nodeOptions } from "./node-options.ts";
import type { Wire } from "./print.ts";
import {
  decimal,
  describeEntry,
  describeProgress,
  describeReady,
  describeRole,
  describeWire,
  describeWork,
  MESSAGE_TYPES,
  responsesOf,
  wireType,
} from "./print.ts";
import { parseSteps, unsigned } from "./steps.ts";
import { CommandError, EMPTY_SNAPSHOT, MemoryStorage } from "./storage.ts";
import type { Argument, Command } from "./transcript.ts";
import { boolean, integer, memberId, single, TranscriptError } from "./transcript.ts";

const ELECTION_TICKS = 3;
const HEARTBEAT_TICKS = 1;
/** A cluster that has work after so many rounds, or says so much, will have it for ever. */
const ROUNDS_MAX = 10_000;
const OUTPUT_MAX = 16_000_000;
const NODES_MAX = 100;

interface Node {
  readonly id: NodeId;
  readonly peer: Peer;
  readonly storage: MemoryStorage;
  readonly asyncStorage: boolean;
  readonly appendWork: Wire[];
  readonly applyWork: Wire[];
  readonly history: Snapshot[];
}

export class Interaction {
  #nodes: Node[] = [];
  #messages: Wire[] = [];
  #output = "";
  #level: Level = "DEBUG";

  /** Carries out one command and returns what it says. */
  run(command: Command): string {
    this.#output = "";
    try {
      this.#dispatch(command);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return this.#level === "NONE" ? error.message : this.#output + error.message;
    }
    return this.#output === "" ? "ok" : this.#output;
  }

  #dispatch(command: Command): void {
    const { name, args } = command;
    switch (name) {
      case "add-nodes":
        return this.#addNodes(args);
      case "campaign":
        return this.#input(this.#nodeAt(args, 0), { type: "campaign" });
      case "propose":
        return this.#propose(args);
      case "propose-conf-change":
        return this.#proposeConfChange(args, command.input);
      case "tick-heartbeat":
        return this.#tick(this.#nodeAt(args, 0), HEARTBEAT_TICKS);
      case "tick-election":
        return this.#tick(this.#nodeAt(args, 0), ELECTION_TICKS);
      case "set-randomized-election-timeout":
        return this.#setElectionTimeout(args);
      case "process-ready":
        return this.#eachAlone(args, "handling Ready", (node) => this.#processReady(node));
      case "process-append-thread":
        return this.#eachAlone(args, "processing append thread", (node) => this.#processAppend(node));
      case "process-apply-thread":
        return this.#eachAlone(args, "processing apply thread", (node) => this.#processApply(node));
      case "deliver-msgs":
        return this.#deliverMessages(args);
      case "stabilize":
        return this.#stabilize(args);
      case "log-level":
        this.#level = levelOf(args[0]?.raw);
        return undefined;
      case "raft-log":
        return this.#printLog(this.#nodeAt(args, 0));
      case "raft-state":
        return this.#printState();
      case "status":
        return this.#printStatus(this.#nodeAt(args, 0));
      case "compact":
        return this.#compact(this.#nodeAt(args, 0), args[1]);
      case "send-snapshot":
        return this.#sendSnapshot(this.#nodeAt(args, 0), idOf(args[1]?.raw));
      case "transfer-leadership":
        return this.#transfer(args);
      case "forget-leader":
        return this.#input(this.#nodeAt(args, 0), { type: "forget-leader" });
      case "report-unreachable":
        return this.#reportUnreachable(args);
      case "_breakpoint":
        return undefined;
      default:
        throw new CommandError("unknown command");
    }
  }

  // Output

  #write(text: string): void {
    if (this.#level === "NONE") return;
    this.#output += text;
    if (this.#output.length > OUTPUT_MAX) throw new TranscriptError("the command does not stop writing");
  }

  #log(level: Level, text: string): void {
    if (LEVELS.indexOf(this.#level) <= LEVELS.indexOf(level)) this.#write(`${level} ${text}\n`);
  }

  /** Runs a step whose lines come out indented by two. */
  #indented(step: () => void): void {
    const outer = this.#output;
    this.#output = "";
    try {
      step();
    } finally {
      const inner = this.#output.replace(/\n$/, "");
      this.#output = outer;
      if (inner !== "") this.#write(`  ${inner.replaceAll("\n", "\n  ")}\n`);
    }
  }

  // Nodes

  #node(id: NodeId): Node {
    const node = this.#nodes.find((one) => one.id === id);
    if (node === undefined) throw new TranscriptError(`there is no node ${decimal(id)}`);
    return node;
  }

  #nodeAt(args: readonly Argument[], position: number): Node {
    return this.#node(idOf(args[position]?.raw));
  }

  #nodesOf(args: readonly Argument[]): readonly Node[] {
    return args.filter((arg) => arg.values === null).map((arg) => this.#node(idOf(arg.raw)));
  }

  #addNodes(args: readonly Argument[]): void {
    const count = integer(args[0]?.raw, "the number of nodes");
    if (count > NODES_MAX) throw new TranscriptError(`more than ${NODES_MAX} nodes`);
    const options = nodeOptions(args.slice(1));
    for (let i = 0; i < count; i += 1) this.#addNode(nodeId((this.#nodes.length + 1).toString(16)), options);
  }

  #addNode(id: NodeId, options: NodeOptions): void {
    const storage = new MemoryStorage();
    let first = EMPTY_SNAPSHOT;
    if (options.bootstrap) {
      if (options.index <= 1) throw new CommandError("index must be specified as > 1 due to bootstrap");
      const data = new TextEncoder().encode(options.content);
      first = { last: { term: 1, index: options.index }, conf: options.conf, data };
      storage.applySnapshot(first);
    }
    const history = [first];
    const rng = rngFor(0, `election timeouts of ${id}`);
    const peer = createPeer({
      electionTicks: ELECTION_TICKS,
      heartbeatTicks: HEARTBEAT_TICKS,
      ...options.config,
      id,
      restored: { hardState: null, conf: first.conf, base: first.last, entries: [], applied: first.last.index },
      limits: options.limits,
      asyncStorage: options.asyncStorage,
      draw: (n) => rng.below(n),
      snapshot: () => history.at(-1) ?? null,
      emit: (event) => {
        for (const { level, text } of logLines(id, event)) this.#log(level, text);
      },
    });
    const { asyncStorage } = options;
    this.#nodes.push({ id, peer, storage, asyncStorage, appendWork: [], applyWork: [], history });
  }

  #input(node: Node, input: Input): void {
    const refusal = node.peer.step(input);
    if (refusal !== undefined) throw new CommandError(errorText(refusal));
  }

  #propose(args: readonly Argument[]): void {
    const data = args[1];
    if (data === undefined || args.length !== 2 || data.values !== null)
      throw new TranscriptError("propose takes a node and the data");
    const proposals = [{ type: "normal", data: new TextEncoder().encode(data.raw) }] as const;
    this.#input(this.#nodeAt(args, 0), { type: "propose", proposals });
  }

  #proposeConfChange(args: readonly Argument[], input: string): void {
    let old = false;
    let transition: Transition = "auto";
    for (const arg of args.slice(1)) {
      if (arg.key === "v1") old = boolean(single(arg), "v1");
      else if (arg.key === "transition") transition = transitionOf(single(arg));
      else throw new CommandError(`unknown command ${arg.key}`);
    }
    const steps = parseSteps(input);
    if (old && (steps.length > 1 || transition !== "auto"))
      throw new CommandError("v1 conf change can only have one operation and no transition");
    if (old && steps.length === 0) throw new TranscriptError("v1 conf change without an operation");
    const change: ConfChange = { transition, steps, context: new Uint8Array(0) };
    const proposals = [confChangeProposal(change, old ? "conf-change" : "conf-change-v2")];
    this.#input(this.#nodeAt(args, 0), { type: "propose", proposals });
  }

  #tick(node: Node, ticks: number): void {
    for (let i = 0; i < ticks; i += 1) node.peer.tick(1);
  }

  #setElectionTimeout(args: readonly Argument[]): void {
    const arg = args.find(({ key }) => key === "timeout");
    if (arg === undefined) throw new TranscriptError("timeout=T is missing");
    const ticks = integer(single(arg), "the timeout");
    if (ticks === 0) throw new TranscriptError("the timeout must be more than zero");
    this.#nodeAt(args, 0).peer.setElectionTimeout(ticks);
  }

  #transfer(args: readonly Argument[]): void {
    const value = (key: string): NodeId => {
      const arg = args.find((one) => one.key === key);
      if (arg === undefined) throw new TranscriptError(`${key}=ID is missing`);
      return idOf(single(arg));
    };
    this.#input(this.#node(value("from")), { type: "transfer-leadership", to: this.#node(value("to")).id });
  }

  #reportUnreachable(args: readonly Argument[]): void {
    const [node, peer, ...more] = this.#nodesOf(args);
    if (node === undefined || peer === undefined || more.length > 0)
      throw new CommandError("must specify exactly two node indexes: node on which to report, and reported node");
    this.#input(node, { type: "unreachable", peer: peer.id });
  }

  // Ready, and the threads of the storage

  /** With one node neither header nor indent. */
  #eachAlone(args: readonly Argument[], what: string, step: (node: Node) => void): void {
    const nodes = this.#nodesOf(args);
    for (const node of nodes) {
      if (nodes.length === 1) step(node);
      else this.#announced(node, what, () => step(node));
    }
  }

  #announced(node: Node, what: string, step: () => void): void {
    this.#write(`> ${decimal(node.id)} ${what}\n`);
    this.#indented(step);
  }

  #processReady(node: Node): void {
    const ready = node.peer.ready();
    const messages = ready === null ? [] : messagesOf(node, ready);
    this.#write(describeReady(ready, messages));
    if (ready === null) return;
    if (!node.asyncStorage) {
      if (ready.persist !== null) this.#save(node, ready.persist.hardState, ready.persist);
      this.#applyEntries(node, ready.apply);
    }
    for (const wire of messages) {
      if (wire.kind === "append") node.appendWork.push(wire);
      else if (wire.kind === "apply") node.applyWork.push(wire);
      else this.#messages.push(wire);
    }
    if (node.asyncStorage) return;
    if (ready.persist !== null) node.peer.advance({ type: "persisted", ...ready.persist });
    if (ready.apply.length > 0) node.peer.advance({ type: "applied", entries: ready.apply });
  }

  #save(node: Node, hardState: HardState | null, { snapshot, entries }: Persist): void {
    if (hardState !== null) node.storage.hardState = hardState;
    if (snapshot !== null && entries.length > 0)
      throw new CommandError("can't apply snapshot and entries at the same time");
    if (snapshot !== null) node.storage.applySnapshot(snapshot);
    else node.storage.append(entries);
  }

  /** The state machine's state is the text of all that was applied. */
  #applyEntries(node: Node, entries: readonly Entry[]): void {
    for (const { term, index, type, data } of entries) {
      const before = node.history.at(-1) ?? EMPTY_SNAPSHOT;
      let conf = before.conf;
      let update = data;
      if (type !== "normal") {
        const change = decodeConfChange(type, data);
        conf = node.peer.applyConfChange(change);
        update = change.context;
      }
      const state = new Uint8Array(before.data.length + update.length);
      state.set(before.data);
      state.set(update, before.data.length);
      node.history.push({ last: { term, index }, conf, data: state });
    }
  }

  #processAppend(node: Node): void {
    const work = node.appendWork.shift();
    if (work?.kind !== "append") return this.#write("no append work to perform");
    this.#write(`Processing:\n${describeWork(work)}\n`);
    this.#save(node, work.persist.hardState, work.persist);
    this.#respond(work);
  }

  #processApply(node: Node): void {
    const work = node.applyWork.shift();
    if (work?.kind !== "apply") return this.#write("no apply work to perform");
    this.#write(`Processing:\n${describeWork(work)}\n`);
    this.#applyEntries(node, work.entries);
    this.#respond(work);
  }

  #respond(work: Wire): void {
    this.#write("Responses:\n");
    for (const response of responsesOf(work)) {
      this.#write(`${describeWire(response)}\n`);
      this.#messages.push(response);
    }
  }

  // Messages

  #deliverMessages(args: readonly Argument[]): void {
    let type: string | null = null;
    const recipients: { readonly id: NodeId; readonly drop: boolean }[] = [];
    for (const arg of args) {
      if (arg.values === null) recipients.push({ id: idOf(arg.raw), drop: false });
      else if (arg.key === "type") {
        type = single(arg);
        if (!MESSAGE_TYPES.has(type)) throw new TranscriptError(`unknown message type ${type}`);
      } else if (arg.key === "drop") {
        for (const text of arg.values) {
          const id = idOf(text);
          if (recipients.some((one) => one.id === id))
            throw new TranscriptError(`can't both deliver and drop messages to ${text}`);
          recipients.push({ id, drop: true });
        }
      } else throw new TranscriptError(`unknown option ${arg.raw}`);
    }
    let delivered = 0;
    for (const { id, drop } of recipients) delivered += this.#deliver(id, drop, type);
    if (delivered === 0) this.#write("no messages");
  }

  /** Messages may be dropped on their way to a node that does not exist yet. */
  #deliver(id: NodeId, drop: boolean, type: string | null): number {
    const taken = this.#messages.filter(
      (wire) => recipientOf(wire) === id && (type === null || wireType(wire) === type) && !(drop && isOwn(wire)),
    );
    this.#messages = this.#messages.filter((wire) => !taken.includes(wire));
    for (const wire of taken) {
      this.#write(`${drop ? "dropped: " : ""}${describeWire(wire)}\n`);
      if (drop) continue;
      const refusal = receive(this.#node(id), wire);
      if (refusal !== undefined) this.#write(`${errorText(refusal)}\n`);
    }
    return taken.length;
  }

  #stabilize(args: readonly Argument[]): void {
    const level = this.#level;
    for (const arg of args) {
      if (arg.key === "log-level") this.#level = levelOf(single(arg));
      else if (arg.values !== null) throw new TranscriptError(`unknown option ${arg.raw}`);
    }
    try {
      const named = this.#nodesOf(args);
      const nodes = named.length > 0 ? named : this.#nodes;
      for (let round = 0; this.#stabilizeOnce(nodes); round += 1)
        if (round >= ROUNDS_MAX) throw new TranscriptError(`still not stable after ${ROUNDS_MAX} rounds`);
    } finally {
      this.#level = level;
    }
  }

  #stabilizeOnce(nodes: readonly Node[]): boolean {
    let busy = false;
    const pass = (hasWork: (node: Node) => boolean, what: string, step: (node: Node) => void): void => {
      for (const node of nodes) {
        if (!hasWork(node)) continue;
        busy = true;
        this.#announced(node, what, () => step(node));
      }
    };
    pass(
      (node) => node.peer.hasReady(),
      "handling Ready",
      (node) => this.#processReady(node),
    );
    pass(
      (node) => this.#messages.some((wire) => recipientOf(wire) === node.id),
      "receiving messages",
      (node) => this.#deliver(node.id, false, null),
    );
    pass(
      (node) => node.appendWork.length > 0,
      "processing append thread",
      (node) => {
        while (node.appendWork.length > 0) this.#processAppend(node);
      },
    );
    pass(
      (node) => node.applyWork.length > 0,
      "processing apply thread",
      (node) => {
        while (node.applyWork.length > 0) this.#processApply(node);
      },
    );
    return busy;
  }

  #sendSnapshot(from: Node, to: NodeId): void {
    const snapshot = from.history.at(-1) ?? EMPTY_SNAPSHOT;
    const wire: Wire = {
      kind: "peer",
      message: { type: "InstallSnapshot", from: from.id, to, term: from.peer.term, snapshot },
    };
    this.#messages.push(wire);
    this.#write(describeWire(wire));
  }

  // Looking

  #printLog({ storage }: Node): void {
    if (storage.entries.length === 0)
      return this.#write(`log is empty: first index=${storage.firstIndex}, last index=${storage.lastIndex}`);
    for (const entry of storage.entries) this.#write(`${describeEntry(entry)}\n`);
  }

  #printState(): void {
    for (const { id, peer } of this.#nodes) {
      const member = isVoter(peer.conf, id) ? "(Voter)" : "(Non-Voter)";
      this.#write(
        `${decimal(id)}: ${describeRole(peer.role)} ${member} Term:${peer.term} Lead:${decimal(peer.leader)}\n`,
      );
    }
  }

  #printStatus({ peer }: Node): void {
    if (peer.role !== "leader") return;
    for (const { id, progress } of peer.progress()) this.#write(`${decimal(id)}: ${describeProgress(progress)}\n`);
  }

  #compact(node: Node, until: Argument | undefined): void {
    if (until === undefined) throw new TranscriptError("compact takes a node and an index");
    const index = Number(unsigned(until.key));
    node.storage.compact(index);
    node.peer.compact(index);
    this.#printLog(node);
  }
}

/** What leaves with a Ready: in sync mode acknowledgements are messages like others, else they wait inside the work. */
function messagesOf(node: Node, { send, persist, apply }: Ready): readonly Wire[] {
  const wires: Wire[] = send.map((message) => ({ kind: "peer", message }));
  if (node.asyncStorage) {
    if (persist !== null) wires.push({ kind: "append", from: node.id, persist });
    if (apply.length > 0) wires.push({ kind: "apply", from: node.id, entries: apply });
    return wires;
  }
  for (const message of persist?.then ?? []) if (message.to !== node.id) wires.push({ kind: "peer", message });
  return wires;
}

function receive({ peer }: Node, wire: Wire): undefined | StepError {
  switch (wire.kind) {
    case "peer":
      return peer.step({ type: "message", message: wire.message });
    case "append-done":
      peer.advance({ type: "persisted", then: [], written: wire.written });
      return undefined;
    case "apply-done":
      peer.advance({ type: "applied", entries: wire.entries });
      return undefined;
    case "append":
    case "apply":
      throw new TranscriptError("storage work is not a message");
    default:
      return undefined;
  }
}

function recipientOf(wire: Wire): NodeId | null {
  if (wire.kind === "peer") return wire.message.to;
  return wire.kind === "append-done" || wire.kind === "apply-done" ? wire.to : null;
}

/** From the node to itself, or from its storage: such a message can't be lost. */
function isOwn(wire: Wire): boolean {
  return wire.kind !== "peer" || wire.message.from === wire.message.to;
}

function errorText(refusal: StepError): string {
  switch (refusal.error) {
    case "proposal-dropped":
      return "raft proposal dropped";
    case "peer-not-found":
      return "raft: cannot step as peer not found";
    case "malformed-message":
      throw new TranscriptError(`malformed message: ${JSON.stringify(refusal.why)}`);
    default:
      return refusal;
  }
}

function idOf(text: string | undefined): NodeId {
  return memberId(text, "a node id");
}

function levelOf(text: string | undefined): Level {
  const level = LEVELS.find((one) => one === text?.toUpperCase());
  if (level === undefined) throw new CommandError(`log levels must be either of [${LEVELS.join(" ")}]`);
  return level;
}

function transitionOf(text: string): Transition {
  if (text === "auto" || text === "implicit" || text === "explicit") return text;
  throw new CommandError(`unknown transition ${text}`);
}
