/**
 * The pure parts of ZooKeeper's lock recipe: names, order, whom to watch. The programs that use them are in `labs`.
 *
 * A lock's node is `<root>/<lock>_lock_<number>`, EPHEMERAL_SEQUENTIAL; a guid may stand before it, by which a client
 * finds a node again whose creation was never answered. The lowest number holds, and is the fencing token.
 */
import { nameOf, parentOf } from "./path.ts";

export interface LockNode {
  /** Without its parent's path. */
  readonly name: string;
  /** What was asked for, before the number. */
  readonly prefix: string;
  readonly number: number;
}

/** What to create, for the server to add a number to. */
export function lockPath(root: string, lock: string, guid: string | null = null): string {
  return `${root}/${guid === null ? "" : `${guid}-`}${lock}_lock_`;
}

/** A sequential node's name taken apart; null when it has no number. After 2147483647 the number is below 0. */
export function parseLockNode(pathOrName: string): LockNode | null {
  const name = nameOf(pathOrName);
  let from = name.length;
  while (from > 0 && isDigit(name.charCodeAt(from - 1))) from -= 1;
  const digits = name.length - from;
  // Below zero it is written with nine or ten digits behind its minus, else with ten.
  if ((digits === 9 || digits === 10) && name.charAt(from - 1) === "-") from -= 1;
  else if (digits >= 10) from = name.length - 10;
  else return null;
  return { name, prefix: name.slice(0, from), number: Number(name.slice(from)) };
}

/**
 * Older first. `serial`: as numbers on a circle (RFC 1982), right as long as those that wait lie within half of it, also
 * across 2147483647. `text`: as many programs sort, by what stands behind the lock's name; after the overflow the newest
 * then goes first.
 */
export function compareNodes(a: LockNode, b: LockNode, order: "serial" | "text" = "serial"): number {
  if (order === "serial") return (a.number - b.number) | 0;
  const [first, second] = [a.name.slice(a.prefix.length), b.name.slice(b.prefix.length)];
  return first < second ? -1 : first > second ? 1 : 0;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

interface Queue {
  readonly lock: string;
  readonly order: "serial" | "text";
  readonly nodes: readonly LockNode[];
}

/** By list of children, which never changes: all that wait at one server are given the very same list. */
const queues = new WeakMap<readonly string[], Queue>();

/** The nodes of one lock among a root's children, oldest first. A guid before the lock's name does not matter. */
export function lockQueue(
  children: readonly string[],
  lock: string,
  order: "serial" | "text" = "serial",
): readonly LockNode[] {
  const known = queues.get(children);
  if (known?.lock === lock && known.order === order) return known.nodes;
  const nodes = nodesOf(children, lock, order);
  queues.set(children, { lock, order, nodes });
  return nodes;
}

function nodesOf(children: readonly string[], lock: string, order: "serial" | "text"): readonly LockNode[] {
  const nodes: LockNode[] = [];
  for (const child of children) {
    const node = parseLockNode(child);
    if (node !== null && isOfLock(node, lock)) nodes.push(node);
  }
  return nodes.sort((a, b) => compareNodes(a, b, order));
}

function isOfLock({ prefix }: LockNode, lock: string): boolean {
  return prefix.endsWith(`${lock}_lock_`) && (prefix.length === lock.length + 6 || prefix.endsWith(`-${lock}_lock_`));
}

/** Where a client stands: what it may believe, or which node it has to wait for. */
export type Place =
  | { readonly type: "holder"; readonly token: number }
  | { readonly type: "waiter"; readonly predecessor: string; readonly ahead: number }
  /** Its own node is not there: the session has expired, or somebody deleted it. */
  | { readonly type: "lost" };

export function placeOf(ownPath: string, queue: readonly LockNode[]): Place {
  const own = nameOf(ownPath);
  const counted = parseLockNode(own)?.number;
  const at = queue.findIndex(({ name, number }) => number === counted && name === own);
  const [mine, before] = [queue[at], queue[at - 1]];
  if (mine === undefined) return { type: "lost" };
  if (before === undefined) return { type: "holder", token: mine.number };
  return { type: "waiter", predecessor: `${parentOf(ownPath) ?? ""}/${before.name}`, ahead: at };
}

/** Which watch a waiter sets: on the one before it, or on the root, which wakes all at each change (the herd). */
export function watchFor(place: Place & { readonly type: "waiter" }, root: string, variant: "predecessor" | "herd") {
  return variant === "predecessor"
    ? ({ call: "getData", path: place.predecessor, watch: true } as const)
    : ({ call: "getChildren", path: root, watch: true } as const);
}

/** The node of a create whose answer was lost: by its guid, among the root's children. */
export function findByGuid(children: readonly string[], guid: string): string | null {
  return children.find((name) => name.startsWith(`${guid}-`)) ?? null;
}
