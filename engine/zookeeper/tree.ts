/**
 * The tree of znodes: a deterministic state machine over writes that were agreed on (ZooKeeper's DataTree, with the
 * checks that its PrepRequestProcessor makes before).
 *
 * It knows sessions only as owners of ephemeral nodes, and watches not at all: a write tells what it changed, in order,
 * and `watches.ts` makes events of that.
 */
import { type Acl, allows, fixed, type Id, idsOf, masked, OPEN_ACL, PERMS, READ_ONLY_ACL } from "./acl.ts";
import { assert, present } from "../base/assert.ts";
import { utf8Length } from "../base/bytes.ts";
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
  /** Beside its address. */
  readonly ids: readonly Id[];
}

export interface Change {
  readonly type: "NodeCreated" | "NodeDeleted" | "NodeDataChanged";
  readonly path: string;
  /** Who may read the node, and its parent: nobody else hears of it. */
  readonly acl: readonly Acl[];
  readonly parentAcl: readonly Acl[];
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
  acl: readonly Acl[];
  aversion: number;
  /** Milliseconds; 0: of a container; null: it goes away by nobody but a client. */
  readonly ttl: number | null;
  /** In which it was made or last copied: one of an older epoch belongs to a checkpoint too. */
  readonly epoch: number;
  readonly children: Set<string>;
  /** The children in order, once somebody has asked: fifty that wait read the same ones. A list that never changes. */
  inOrder: readonly string[] | null;
}

/** Without what most have alike. */
type SavedNode = Omit<Node, "children" | "inOrder" | "acl" | "aversion" | "ttl" | "epoch"> &
  Partial<Pick<Node, "acl" | "aversion" | "ttl">>;

/** Shares the nodes with the tree, which copies those that it changes. */
export interface TreeCheckpoint {
  readonly epoch: number;
  readonly nodes: ReadonlyMap<string, Node>;
  readonly ephemerals: readonly (readonly [SessionId, JavaSetState])[];
}

/** As a snapshot of the log has it. */
export interface TreeState {
  readonly nodes: readonly (readonly [string, SavedNode])[];
  readonly ephemerals: readonly (readonly [SessionId, JavaSetState])[];
}

/** One write at work: how to take back what it did so far, and what it changed. */
interface Attempt extends Stamped {
  readonly undo: (() => void)[];
  readonly changes: Change[];
  /** Counters within a multi, which run ahead of the tree's where that sticks; null outside. */
  readonly counters: Map<string, number> | null;
}

type Outcome = Result | ErrorName;

export class Tree {
  readonly #options: TreeOptions;
  #nodes = new Map<string, Node>();
  #epoch = 0;
  /** The last that was given, as long as nothing has changed since. */
  #checkpoint: TreeCheckpoint | null = null;
  readonly #ephemerals = new Map<SessionId, JavaSet>();
  /** Containers and nodes with a ttl. */
  readonly #transient = new Set<string>();

  constructor(options: TreeOptions) {
    this.#options = options;
    for (const path of SYSTEM_PATHS)
      this.#nodes.set(
        path,
        newNode({
          data: "",
          zxid: 0,
          time: 0,
          owner: null,
          acl: path === CONFIG_PATH ? READ_ONLY_ACL : OPEN_ACL,
        }),
      );
    for (const path of SYSTEM_PATHS) if (path !== "/") addChild(this.#parent(path), path);
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Carries a write out, or does nothing and says why. */
  write(call: WriteCall, stamped: Stamped): Written {
    this.#checkpoint = null;
    const { ids, session, zxid, time } = stamped;
    const counters = call.call === "multi" ? new Map<string, number>() : null;
    const attempt: Attempt = { ids, session, zxid, time, undo: [], changes: [], counters };
    if (call.call === "multi") return this.#multi(call.ops, attempt);
    const outcome = call.call === "setACL" ? this.#setAcl(call, attempt) : this.#single(call, attempt);
    const answer: Answer = typeof outcome === "string" ? { err: outcome } : { err: "OK", result: outcome };
    return { answer, changes: attempt.changes };
  }

  /** Deletes the session's ephemeral nodes, all in one transaction. */
  endSession(session: SessionId, zxid: Zxid): readonly Change[] {
    this.#checkpoint = null;
    const paths = this.#ephemerals.get(session)?.inOrderOfCopy() ?? [];
    this.#ephemerals.delete(session);
    const changes = paths.map((path) => this.#changeOf("NodeDeleted", path));
    for (const path of paths) this.#remove(path, zxid);
    return changes;
  }

  // ── reads ──

  exists(path: string): Answer {
    if (path.includes("\0")) return { err: "BadArguments" };
    return this.#read(path, (node) => ({ stat: statOf(node) }));
  }

  getData(path: string, ids: readonly Id[]): Answer {
    return this.#readable(path, ids, (node) => ({ data: node.data, stat: statOf(node) }));
  }

  getChildren(path: string, ids: readonly Id[]): Answer {
    return this.#readable(path, ids, (node) => ({ children: inOrder(node), stat: statOf(node) }));
  }

  getAllChildrenNumber(path: string, ids: readonly Id[]): Answer {
    const above = path === "/" ? "/" : `${path}/`;
    return this.#readable(path, ids, () => ({
      count: [...this.#nodes.keys()].filter((key) => key !== "/" && key.startsWith(above)).length,
    }));
  }

  /** Whoever may not administer it sees no hashes. */
  getAcl(path: string, ids: readonly Id[]): Answer {
    const node = this.#nodes.get(nodeKey(path));
    if (node === undefined) return { err: "NoNode" };
    const all = idsOf(ids);
    if (!allows(node.acl, PERMS.read | PERMS.admin, all)) return { err: "NoAuth" };
    const acl = allows(node.acl, PERMS.admin, all) ? node.acl : masked(node.acl);
    return { err: "OK", result: { acl, stat: statOf(node) } };
  }

  /** What is on record of a change, whoever looks. */
  dataOf(path: string): { readonly data: string; readonly stat: Stat } | null {
    const node = this.#nodes.get(nodeKey(path));
    return node === undefined ? null : { data: node.data, stat: statOf(node) };
  }

  // ── containers and nodes with a ttl ──

  /** Whether there may be something to clean away in time. */
  get hasTransient(): boolean {
    return this.#transient.size > 0;
  }

  /** Those whose time is over: empty containers that have had children, nodes without children and unwritten for their ttl. */
  over(time: number): readonly string[] {
    return [...this.#transient].filter((path) => {
      const node = this.#nodes.get(path);
      if (node === undefined || node.children.size > 0) return false;
      if (node.ttl === 0) return node.counter > 0;
      return node.ttl !== null && time - node.mtime > node.ttl;
    });
  }

  /** Deletes one of them, if it has no children by now. */
  clean(path: string, zxid: Zxid): readonly Change[] {
    const node = this.#nodes.get(path);
    if (node === undefined || node.ttl === null || node.children.size > 0) return [];
    this.#checkpoint = null;
    const change = this.#changeOf("NodeDeleted", path);
    this.#remove(path, zxid);
    return [change];
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

  #readable(path: string, ids: readonly Id[], show: (node: Node) => Result): Answer {
    const node = this.#nodes.get(nodeKey(path));
    if (node !== undefined && !allows(node.acl, PERMS.read, idsOf(ids))) return { err: "NoAuth" };
    return this.#read(path, show);
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
        return this.#check(op, attempt);
    }
  }

  /** The order of the checks decides which error is answered; it is the server's. */
  #create(op: MultiOp & { readonly call: "create" | "create2" }, attempt: Attempt): Outcome {
    const parentPath = parentOf(op.path);
    const ttl = ttlOf(op);
    if (ttl === "bad" || parentPath === null) return "BadArguments";
    const acl = op.acl === undefined ? OPEN_ACL : fixed(op.acl, attempt.ids);
    if (acl === null) return "InvalidACL";
    const parent = this.#nodes.get(nodeKey(parentPath));
    if (parent === undefined) return "NoNode";
    if (!allows(parent.acl, PERMS.create, idsOf(attempt.ids))) return "NoAuth";
    const counter = attempt.counters?.get(nodeKey(parentPath)) ?? parent.counter;
    const path = isSequential(op.mode) ? op.path + sequenceSuffix(counter) : op.path;
    if (!isValidPath(path)) return "BadArguments";
    if (this.#nodes.has(path)) return "NodeExists";
    if (parent.owner !== null) return "NoChildrenForEphemerals";
    const own = this.#own(nodeKey(parentPath));
    this.#add(path, own, { ...op, acl, ttl }, attempt);
    this.#count(nodeKey(parentPath), own, (counter + 1) | 0, attempt);
    attempt.changes.push(this.#changeOf("NodeCreated", path));
    return op.call === "create" ? { path } : { path, stat: present(this.stat(path), "the node just made") };
  }

  #add(
    path: string,
    parent: Node,
    { data, mode, acl, ttl }: Pick<Node, "data" | "acl" | "ttl"> & { readonly mode: CreateMode },
    attempt: Attempt,
  ): void {
    const { session, zxid, time, undo } = attempt;
    const owner = isEphemeral(mode) ? session : null;
    const counter = this.#options.counters[path] ?? 0;
    const node = newNode({ data, zxid, time, owner, acl, ttl, counter, epoch: this.#epoch });
    this.#nodes.set(path, node);
    addChild(parent, path);
    if (ttl !== null) this.#transient.add(path);
    undo.push(() => {
      this.#nodes.delete(path);
      this.#transient.delete(path);
      removeChild(parent, path);
    });
    if (owner === null) return;
    const owned = this.#ephemerals.get(owner) ?? new JavaSet();
    this.#ephemerals.set(owner, owned);
    owned.add(path);
    undo.push(() => owned.delete(path));
  }

  #count(path: string, parent: Node, counter: number, { zxid, undo, counters }: Attempt): void {
    counters?.set(path, counter);
    if (this.#options.overflow === "sticks" && counter < parent.counter) return;
    const before = { counter: parent.counter, pzxid: parent.pzxid };
    parent.counter = counter;
    parent.pzxid = zxid;
    undo.push(() => Object.assign(parent, before));
  }

  #delete(op: MultiOp & { readonly call: "delete" }, { zxid, undo, changes, ids }: Attempt): Outcome {
    const { path } = op;
    const parentPath = parentOf(path);
    if (parentPath === null || SYSTEM_PATHS.has(path)) return "BadArguments";
    const parent = this.#nodes.get(nodeKey(parentPath));
    if (parent === undefined) return "NoNode";
    if (!allows(parent.acl, PERMS.delete, idsOf(ids))) return "NoAuth";
    const node = this.#nodes.get(path);
    if (node === undefined) return "NoNode";
    if (isOtherVersion(op.version, node.version)) return "BadVersion";
    if (node.children.size > 0) return "NotEmpty";
    const { pzxid } = parent;
    const change = this.#changeOf("NodeDeleted", path);
    const owned = node.owner === null ? undefined : this.#ephemerals.get(node.owner);
    const own = this.#remove(path, zxid);
    owned?.delete(path);
    undo.push(() => {
      this.#nodes.set(path, node);
      if (node.ttl !== null) this.#transient.add(path);
      addChild(own, path);
      own.pzxid = pzxid;
      owned?.add(path);
    });
    changes.push(change);
    return {};
  }

  #setData(op: MultiOp & { readonly call: "setData" }, { zxid, time, undo, changes, ids }: Attempt): Outcome {
    const { path, data } = op;
    if (!isValidPath(path)) return "BadArguments";
    const node = this.#nodes.get(path);
    if (node === undefined) return "NoNode";
    if (!allows(node.acl, PERMS.write, idsOf(ids))) return "NoAuth";
    if (isOtherVersion(op.version, node.version)) return "BadVersion";
    const before = { data: node.data, version: node.version, mzxid: node.mzxid, mtime: node.mtime };
    const own = this.#own(path);
    Object.assign(own, { data, version: (node.version + 1) | 0, mzxid: zxid, mtime: time });
    undo.push(() => Object.assign(own, before));
    changes.push(this.#changeOf("NodeDataChanged", path));
    return { stat: statOf(own) };
  }

  #setAcl({ path, acl, version }: WriteCall & { readonly call: "setACL" }, { ids }: Attempt): Outcome {
    if (!isValidPath(path)) return "BadArguments";
    const wanted = fixed(acl, ids);
    if (wanted === null) return "InvalidACL";
    const node = this.#nodes.get(path);
    if (node === undefined) return "NoNode";
    if (!allows(node.acl, PERMS.admin, idsOf(ids))) return "NoAuth";
    if (isOtherVersion(version, node.aversion)) return "BadVersion";
    const own = this.#own(path);
    own.acl = wanted;
    own.aversion = (own.aversion + 1) | 0;
    return { stat: statOf(own) };
  }

  #check({ path, version }: MultiOp & { readonly call: "check" }, { ids }: Attempt): Outcome {
    if (!isValidPath(path)) return "BadArguments";
    const node = this.#nodes.get(path);
    if (node === undefined) return "NoNode";
    if (!allows(node.acl, PERMS.read, idsOf(ids))) return "NoAuth";
    return isOtherVersion(version, node.version) ? "BadVersion" : {};
  }

  /** @returns the parent */
  #remove(path: string, zxid: Zxid): Node {
    const parent = this.#own(nodeKey(parentOf(path) ?? ""));
    this.#nodes.delete(path);
    this.#transient.delete(path);
    removeChild(parent, path);
    parent.pzxid = zxid;
    return parent;
  }

  /** A node that may be changed in place. */
  #own(path: string): Node {
    const node = present(this.#nodes.get(path), "the node that changes");
    if (node.epoch === this.#epoch) return node;
    const copy: Node = { ...node, epoch: this.#epoch, children: new Set(node.children) };
    this.#nodes.set(path, copy);
    return copy;
  }

  #changeOf(type: Change["type"], path: string): Change {
    const node = present(this.#nodes.get(path), "the node that changes");
    return { type, path, acl: node.acl, parentAcl: this.#parent(path).acl };
  }

  /** Who may read a node; null: there is none. */
  aclOf(path: string): readonly Acl[] | null {
    return this.#nodes.get(nodeKey(path))?.acl ?? null;
  }

  #parent(path: string): Node {
    return present(this.#nodes.get(nodeKey(parentOf(path) ?? "")), `the parent of ${path}`);
  }

  // ── keeping ──

  checkpoint(): TreeCheckpoint {
    this.#checkpoint ??= {
      epoch: this.#epoch,
      nodes: new Map(this.#nodes),
      ephemerals: [...this.#ephemerals].map(([session, paths]) => [session, paths.state()]),
    };
    this.#epoch = this.#checkpoint.epoch + 1;
    return this.#checkpoint;
  }

  resume(saved: TreeCheckpoint): void {
    const { epoch, nodes, ephemerals } = saved;
    this.#epoch = epoch + 1;
    this.#checkpoint = saved;
    this.#nodes = new Map(nodes);
    this.#ephemerals.clear();
    for (const [session, paths] of ephemerals) this.#ephemerals.set(session, new JavaSet(paths));
    this.#transient.clear();
    for (const [path, { ttl }] of nodes) if (ttl !== null) this.#transient.add(path);
  }

  state(): TreeState {
    return {
      nodes: [...this.#nodes].map(([path, node]) => [path, withoutChildren(node)]),
      ephemerals: [...this.#ephemerals].map(([session, paths]) => [session, paths.state()]),
    };
  }

  load({ nodes, ephemerals }: TreeState): void {
    this.#checkpoint = null;
    this.#nodes.clear();
    this.#transient.clear();
    for (const [path, node] of nodes) {
      const { acl = OPEN_ACL, aversion = 0, ttl = null } = node;
      this.#nodes.set(path, { ...node, acl, aversion, ttl, epoch: this.#epoch, children: new Set(), inOrder: null });
      if (ttl !== null) this.#transient.add(path);
    }
    for (const [path] of nodes) if (path !== "/") addChild(this.#parent(path), path);
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
  readonly acl: readonly Acl[];
  readonly ttl?: number | null;
  readonly epoch?: number;
}

function newNode({ data, zxid, time, owner, acl, counter = 0, ttl = null, epoch = 0 }: NewNode): Node {
  const zxids = { czxid: zxid, mzxid: zxid, pzxid: zxid };
  const times = { ctime: time, mtime: time };
  return {
    data,
    ...zxids,
    ...times,
    version: 0,
    counter,
    owner,
    acl,
    aversion: 0,
    ttl,
    epoch,
    children: new Set(),
    inOrder: null,
  };
}

function inOrder(node: Node): readonly string[] {
  node.inOrder ??= [...node.children].sort();
  return node.inOrder;
}

function addChild(parent: Node, path: string): void {
  const name = nameOf(path);
  parent.children.add(name);
  parent.inOrder &&= parent.inOrder.toSpliced(placeIn(parent.inOrder, name), 0, name);
}

/** How many of a list in order stand before the name. */
function placeIn(names: readonly string[], name: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((names[middle] as string) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function removeChild(parent: Node, path: string): void {
  const name = nameOf(path);
  parent.children.delete(name);
  const at = parent.inOrder === null ? -1 : placeIn(parent.inOrder, name);
  if (parent.inOrder?.[at] === name) parent.inOrder = parent.inOrder.toSpliced(at, 1);
}

const TTL_MAX = 2 ** 40 - 1;

/** Null: none, for modes without; 0: a container. */
function ttlOf({ mode, ttl = -1 }: { readonly mode: CreateMode; readonly ttl?: number }): number | null | "bad" {
  if (mode === "CONTAINER") return 0;
  if (!mode.endsWith("_TTL")) return null;
  return ttl > 0 && ttl <= TTL_MAX ? ttl : "bad";
}

/** The cversion counts creates and deletes: each child that was ever created twice, but for those that are still there. */
function statOf(node: Node): Stat {
  const { data, czxid, mzxid, pzxid, ctime, mtime, version, counter, owner, aversion, children } = node;
  const cversion = (Math.imul(counter, 2) - children.size) | 0;
  const dataLength = utf8Length(data);
  // Flat, and not of spreads: every read of every client that waits makes one.
  return {
    czxid,
    mzxid,
    pzxid,
    ctime,
    mtime,
    version,
    cversion,
    aversion,
    ephemeralOwner: owner,
    dataLength,
    numChildren: children.size,
  };
}

/** They follow from the paths. */
function withoutChildren(node: Node): SavedNode {
  const { data, czxid, mzxid, pzxid, ctime, mtime, version, counter, owner, acl, aversion, ttl } = node;
  return {
    data,
    czxid,
    mzxid,
    pzxid,
    ctime,
    mtime,
    version,
    counter,
    owner,
    ...(acl === OPEN_ACL ? {} : { acl }),
    ...(aversion === 0 ? {} : { aversion }),
    ...(ttl === null ? {} : { ttl }),
  };
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
