/**
 * The tree of znodes: a deterministic state machine over writes that were agreed on (ZooKeeper's DataTree, with the
 * checks that its PrepRequestProcessor makes before).
 *
 * It knows sessions only as owners of ephemeral nodes, and watches not at all: a write tells what it changed, in order,
 * and `watches.ts` makes events of that. Of ACLs there is one: `/zookeeper/config` is read only.
 */
import { assert, present } from "../base/assert.ts";
import { utf8Encode } from "../base/bytes.ts";
import {
  type Answer,
  type CreateMode,
  type ErrorName,
  isEphemeral,
  isSequential,
  type MultiOp,
  type MultiResult,
  type Result,
  type SessionId,
  type Stat,
  type WriteCall,
  type Zxid,
} from "./api.ts";
import { JavaSet, type JavaSetState } from "./java-set.ts";
import { CONFIG_PATH, isValidPath, nameOf, nodeKey, parentOf, sequenceSuffix, SYSTEM_PATHS } from "./path.ts";

export interface TreeOptions {
  /**
   * What a parent's counter does after 2147483647. `wraps`: to -2147483648, as the documentation says and as ZooKeeper
   * up to 3.5 does. `sticks`: the tree takes no smaller counter than it has (since 3.6; seen on 3.8.0), so a further
   * sequential create of the same name is answered NodeExists, for ever; only within one multi it goes on into the
   * negative.
   */
  readonly overflow: "wraps" | "sticks";
  /** Where the counter of a path begins when it is created, for labs that look at its end; 0 elsewhere. */
  readonly counters: Readonly<Record<string, number>>;
}

/** What a write is carried out as. `time`: milliseconds of the wall clock of the member that took it. */
export interface Stamped {
  readonly session: SessionId;
  readonly zxid: Zxid;
  readonly time: number;
}

export interface Change {
  readonly type: "NodeCreated" | "NodeDeleted" | "NodeDataChanged";
  readonly path: string;
}

export interface Written {
  readonly answer: Answer;
  /** In the order in which they were made. */
  readonly changes: readonly Change[];
}

interface Node {
  data: string;
  readonly czxid: Zxid;
  mzxid: Zxid;
  pzxid: Zxid;
  readonly ctime: number;
  mtime: number;
  version: number;
  /** How many children were ever created: the next sequence number. (The Stat's cversion is made of it.) */
  counter: number;
  readonly owner: SessionId | null;
  readonly children: Set<string>;
}

type SavedNode = Omit<Node, "children">;

export interface TreeState {
  readonly nodes: readonly (readonly [string, SavedNode])[];
  readonly ephemerals: readonly (readonly [SessionId, JavaSetState])[];
}

/** One write at work: how to take back what it did so far, and what it changed. */
interface Attempt extends Stamped {
  readonly undo: (() => void)[];
  readonly changes: Change[];
  /** Counters within a multi, which run ahead of the tree's where that sticks. */
  readonly counters: Map<string, number>;
}

type Outcome = Result | ErrorName;

export class Tree {
  readonly #options: TreeOptions;
  readonly #nodes = new Map<string, Node>();
  readonly #ephemerals = new Map<SessionId, JavaSet>();

  constructor(options: TreeOptions) {
    this.#options = options;
    for (const path of SYSTEM_PATHS) this.#nodes.set(path, newNode({ data: "", zxid: 0, time: 0, owner: null }));
    for (const path of SYSTEM_PATHS) if (path !== "/") this.#parent(path).children.add(nameOf(path));
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Carries a write out, or does nothing and says why. */
  write(call: WriteCall, stamped: Stamped): Written {
    const attempt: Attempt = { ...stamped, undo: [], changes: [], counters: new Map() };
    if (call.call === "multi") return this.#multi(call.ops, attempt);
    const outcome = this.#single(call, attempt);
    const answer: Answer = typeof outcome === "string" ? { err: outcome } : { err: "OK", result: outcome };
    return { answer, changes: attempt.changes };
  }

  /** Deletes the session's ephemeral nodes, all in one transaction. */
  endSession(session: SessionId, zxid: Zxid): readonly Change[] {
    const paths = this.#ephemerals.get(session)?.inOrderOfCopy() ?? [];
    this.#ephemerals.delete(session);
    for (const path of paths) this.#remove(path, zxid);
    return paths.map((path) => ({ type: "NodeDeleted", path }));
  }

  // ── reads ──

  exists(path: string): Answer {
    if (path.includes("\0")) return { err: "BadArguments" };
    return this.#read(path, (node) => ({ stat: statOf(node) }));
  }

  getData(path: string): Answer {
    return this.#read(path, (node) => ({ data: node.data, stat: statOf(node) }));
  }

  getChildren(path: string): Answer {
    return this.#read(path, (node) => ({ children: [...node.children].sort(), stat: statOf(node) }));
  }

  /** The session's ephemeral nodes whose paths begin with `prefix`, sorted. */
  getEphemerals(session: SessionId, prefix: string): Answer {
    const paths = this.ephemeralsOf(session).filter((path) => path.startsWith(prefix));
    return { err: "OK", result: { children: paths.sort() } };
  }

  ephemeralsOf(session: SessionId): string[] {
    return this.#ephemerals.get(session)?.inOrderOfCopy() ?? [];
  }

  stat(path: string): Stat | null {
    const node = this.#nodes.get(nodeKey(path));
    return node === undefined ? null : statOf(node);
  }

  #read(path: string, show: (node: Node) => Result): Answer {
    const node = this.#nodes.get(nodeKey(path));
    return node === undefined ? { err: "NoNode" } : { err: "OK", result: show(node) };
  }

  // ── writes ──

  #multi(ops: readonly MultiOp[], attempt: Attempt): Written {
    const results: MultiResult[] = [];
    for (const op of ops) {
      const outcome = this.#single(op, attempt);
      if (typeof outcome === "string") {
        for (const takeBack of attempt.undo.reverse()) takeBack();
        const failed = ops.map((_, i): MultiResult => ({ err: errorOfPart(i, results.length, outcome) }));
        return { answer: { err: "OK", result: { results: failed } }, changes: [] };
      }
      results.push(multiResult(op, outcome));
    }
    return { answer: { err: "OK", result: { results } }, changes: attempt.changes };
  }

  #single(op: MultiOp, attempt: Attempt): Outcome {
    switch (op.call) {
      case "create":
      case "create2":
        return this.#create(op, attempt);
      case "delete":
        return this.#delete(op, attempt);
      case "setData":
        return this.#setData(op, attempt);
      case "check":
        return this.#check(op);
    }
  }

  /** The order of the checks decides which error is answered; it is the server's. */
  #create(op: MultiOp & { readonly call: "create" | "create2" }, attempt: Attempt): Outcome {
    const parentPath = parentOf(op.path);
    if (parentPath === null) return "BadArguments";
    const parent = this.#nodes.get(nodeKey(parentPath));
    if (parent === undefined) return "NoNode";
    if (parentPath === CONFIG_PATH) return "NoAuth";
    const counter = attempt.counters.get(nodeKey(parentPath)) ?? parent.counter;
    const path = isSequential(op.mode) ? op.path + sequenceSuffix(counter) : op.path;
    if (!isValidPath(path)) return "BadArguments";
    if (this.#nodes.has(path)) return "NodeExists";
    if (parent.owner !== null) return "NoChildrenForEphemerals";
    this.#add(path, parent, op, attempt);
    this.#count(nodeKey(parentPath), parent, (counter + 1) | 0, attempt);
    attempt.changes.push({ type: "NodeCreated", path });
    return op.call === "create" ? { path } : { path, stat: present(this.stat(path), "the node just made") };
  }

  #add(path: string, parent: Node, { data, mode }: { data: string; mode: CreateMode }, attempt: Attempt): void {
    const { session, zxid, time, undo } = attempt;
    const owner = isEphemeral(mode) ? session : null;
    const node = newNode({ data, zxid, time, owner, counter: this.#options.counters[path] ?? 0 });
    this.#nodes.set(path, node);
    parent.children.add(nameOf(path));
    undo.push(() => {
      this.#nodes.delete(path);
      parent.children.delete(nameOf(path));
    });
    if (owner === null) return;
    const owned = this.#ephemerals.get(owner) ?? new JavaSet();
    this.#ephemerals.set(owner, owned);
    owned.add(path);
    undo.push(() => owned.delete(path));
  }

  #count(path: string, parent: Node, counter: number, { zxid, undo, counters }: Attempt): void {
    counters.set(path, counter);
    if (this.#options.overflow === "sticks" && counter < parent.counter) return;
    const before = { counter: parent.counter, pzxid: parent.pzxid };
    parent.counter = counter;
    parent.pzxid = zxid;
    undo.push(() => Object.assign(parent, before));
  }

  #delete(op: MultiOp & { readonly call: "delete" }, { zxid, undo, changes }: Attempt): Outcome {
    const { path } = op;
    if (parentOf(path) === null || SYSTEM_PATHS.has(path)) return "BadArguments";
    const node = this.#nodes.get(path);
    if (node === undefined) return "NoNode";
    if (isOtherVersion(op.version, node.version)) return "BadVersion";
    if (node.children.size > 0) return "NotEmpty";
    const parent = this.#parent(path);
    const { pzxid } = parent;
    const owned = node.owner === null ? undefined : this.#ephemerals.get(node.owner);
    this.#remove(path, zxid);
    owned?.delete(path);
    undo.push(() => {
      this.#nodes.set(path, node);
      parent.children.add(nameOf(path));
      parent.pzxid = pzxid;
      owned?.add(path);
    });
    changes.push({ type: "NodeDeleted", path });
    return {};
  }

  #setData(op: MultiOp & { readonly call: "setData" }, { zxid, time, undo, changes }: Attempt): Outcome {
    const { path, data } = op;
    if (!isValidPath(path)) return "BadArguments";
    const node = this.#nodes.get(path);
    if (node === undefined) return "NoNode";
    if (path === CONFIG_PATH) return "NoAuth";
    if (isOtherVersion(op.version, node.version)) return "BadVersion";
    const before = { data: node.data, version: node.version, mzxid: node.mzxid, mtime: node.mtime };
    Object.assign(node, { data, version: (node.version + 1) | 0, mzxid: zxid, mtime: time });
    undo.push(() => Object.assign(node, before));
    changes.push({ type: "NodeDataChanged", path });
    return { stat: statOf(node) };
  }

  #check({ path, version }: MultiOp & { readonly call: "check" }): Outcome {
    if (!isValidPath(path)) return "BadArguments";
    const node = this.#nodes.get(path);
    if (node === undefined) return "NoNode";
    return isOtherVersion(version, node.version) ? "BadVersion" : {};
  }

  #remove(path: string, zxid: Zxid): void {
    const parent = this.#parent(path);
    this.#nodes.delete(path);
    parent.children.delete(nameOf(path));
    parent.pzxid = zxid;
  }

  #parent(path: string): Node {
    return present(this.#nodes.get(nodeKey(parentOf(path) ?? "")), `the parent of ${path}`);
  }

  // ── keeping ──

  state(): TreeState {
    return {
      nodes: [...this.#nodes].map(([path, node]) => [path, withoutChildren(node)]),
      ephemerals: [...this.#ephemerals].map(([session, paths]) => [session, paths.state()]),
    };
  }

  load({ nodes, ephemerals }: TreeState): void {
    this.#nodes.clear();
    for (const [path, node] of nodes) this.#nodes.set(path, { ...node, children: new Set() });
    for (const [path] of nodes) if (path !== "/") this.#parent(path).children.add(nameOf(path));
    this.#ephemerals.clear();
    for (const [session, paths] of ephemerals) this.#ephemerals.set(session, new JavaSet(paths));
    assert(this.#nodes.has("/"), "a tree has a root");
  }
}

interface NewNode {
  readonly data: string;
  readonly zxid: Zxid;
  readonly time: number;
  readonly owner: SessionId | null;
  readonly counter?: number;
}

function newNode({ data, zxid, time, owner, counter = 0 }: NewNode): Node {
  const zxids = { czxid: zxid, mzxid: zxid, pzxid: zxid };
  return { data, ...zxids, ctime: time, mtime: time, version: 0, counter, owner, children: new Set() };
}

/** The cversion counts creates and deletes: each child that was ever created twice, but for those that are still there. */
function statOf({ data, czxid, mzxid, pzxid, ctime, mtime, version, counter, owner, children }: Node): Stat {
  const cversion = (Math.imul(counter, 2) - children.size) | 0;
  const dataLength = utf8Encode(data).length;
  const zxids = { czxid, mzxid, pzxid };
  const versions = { version, cversion, aversion: 0 };
  return { ...zxids, ctime, mtime, ...versions, ephemeralOwner: owner, dataLength, numChildren: children.size };
}

/** They follow from the paths. */
function withoutChildren({ data, czxid, mzxid, pzxid, ctime, mtime, version, counter, owner }: Node): SavedNode {
  return { data, czxid, mzxid, pzxid, ctime, mtime, version, counter, owner };
}

function isOtherVersion(expected: number, actual: number): boolean {
  return expected !== -1 && expected !== actual;
}

function errorOfPart(part: number, bad: number, error: ErrorName): ErrorName | "OK" {
  if (part < bad) return "OK";
  return part === bad ? error : "RuntimeInconsistency";
}

/** A create2 within a multi is answered as a create. */
function multiResult(op: MultiOp, result: Result): MultiResult {
  switch (op.call) {
    case "create":
    case "create2":
      return { op: "create", path: present(result.path, "a create answers its path") };
    case "setData":
      return { op: "setData", stat: present(result.stat, "setData answers a stat") };
    case "delete":
    case "check":
      return { op: op.call };
  }
}
