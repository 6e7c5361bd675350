/**
 * The watches that one member keeps for its own clients (ZooKeeper's WatchManager, twice: data and children).
 *
 * They are not replicated: they live as long as the connection, on the member that the client is connected to. A
 * standard watch fires once. A client has one watch of each kind on a path, and the mode that was asked for last counts,
 * as in ZooKeeper 3.8: a plain read with a watch makes a persistent one standard.
 */
import type { ConnectionId } from "../sim/process.ts";
import type { WatcherMode, WatcherType, WatchEvent, WatchEventType, WatchList, Zxid } from "./api.ts";
import { nodeKey, parentOf, pathAndParents } from "./path.ts";
import type { Change, Tree } from "./tree.ts";

/** What one client hears of one change. */
export interface Notice {
  readonly connection: ConnectionId;
  readonly event: WatchEvent;
}

type Watchers = Map<ConnectionId, WatcherMode>;

export interface WatchSet {
  readonly path: string;
  readonly kind: "data" | "children";
  readonly connection: ConnectionId;
  readonly mode: WatcherMode;
}

export class Watches {
  readonly #data = new Map<string, Watchers>();
  readonly #children = new Map<string, Watchers>();

  watchData(path: string, connection: ConnectionId, mode: WatcherMode = "standard"): void {
    add(this.#data, path, connection, mode);
  }

  watchChildren(path: string, connection: ConnectionId, mode: WatcherMode = "standard"): void {
    add(this.#children, path, connection, mode);
  }

  /** Sees the changes of the path itself and of its children, or of all below it, until it is removed. */
  addWatch(path: string, connection: ConnectionId, mode: "persistent" | "recursive"): void {
    this.watchChildren(path, connection, mode);
    this.watchData(path, connection, mode);
  }

  /** Whether there was one. */
  remove(path: string, connection: ConnectionId, type: WatcherType): boolean {
    const child = type !== "data" && drop(this.#children, path, connection);
    const data = type !== "children" && drop(this.#data, path, connection);
    return child || data;
  }

  /** The connection is gone; returns what it watched. */
  forget(connection: ConnectionId): readonly WatchSet[] {
    const lost = this.all().filter((watch) => watch.connection === connection);
    for (const { path } of lost) this.remove(path, connection, "any");
    return lost;
  }

  /** What the clients hear of a change, in the order in which they hear it; standard watches are used up. */
  trigger({ type, path }: Change): readonly Notice[] {
    if (type === "NodeDataChanged") return this.#fire(this.#data, path, type, NOBODY);
    const parent = nodeKey(parentOf(path) ?? "");
    const own = this.#fire(this.#data, path, type, NOBODY);
    const told = new Set(own.map(({ connection }) => connection));
    const also = type === "NodeDeleted" ? this.#fire(this.#children, path, type, told) : [];
    return [...own, ...also, ...this.#fire(this.#children, parent, "NodeChildrenChanged", NOBODY)];
  }

  /**
   * The watches of an old connection, said again on a new one: what has changed since the client last heard is told at
   * once, the others are set.
   */
  set(list: WatchList & { readonly lastZxid: Zxid }, connection: ConnectionId, tree: Tree): readonly WatchEvent[] {
    const { data, exist, child, persistent, recursive, lastZxid } = list;
    const events: WatchEvent[] = [];
    for (const path of data) {
      const stat = tree.stat(path);
      if (stat === null) events.push({ type: "NodeDeleted", path });
      else if (stat.mzxid > lastZxid) events.push({ type: "NodeDataChanged", path });
      else this.watchData(path, connection);
    }
    for (const path of exist) {
      if (tree.stat(path) === null) this.watchData(path, connection);
      else events.push({ type: "NodeCreated", path });
    }
    for (const path of child) {
      const stat = tree.stat(path);
      if (stat === null) events.push({ type: "NodeDeleted", path });
      else if (stat.pzxid > lastZxid) events.push({ type: "NodeChildrenChanged", path });
      else this.watchChildren(path, connection);
    }
    for (const path of persistent) this.addWatch(path, connection, "persistent");
    for (const path of recursive) this.addWatch(path, connection, "recursive");
    return events;
  }

  all(): WatchSet[] {
    return [...entries(this.#data, "data"), ...entries(this.#children, "children")];
  }

  load(watches: readonly WatchSet[]): void {
    for (const { path, kind, connection, mode } of watches) {
      add(kind === "data" ? this.#data : this.#children, path, connection, mode);
    }
  }

  #fire(
    table: Map<string, Watchers>,
    path: string,
    type: WatchEventType,
    told: ReadonlySet<ConnectionId>,
  ): readonly Notice[] {
    const hearing = new Set<ConnectionId>();
    for (const at of pathAndParents(path)) {
      const watchers = table.get(at);
      if (watchers === undefined) continue;
      for (const [connection, mode] of watchers) {
        if (mode === "recursive") {
          if (type !== "NodeChildrenChanged") hearing.add(connection);
        } else if (at === path) {
          hearing.add(connection);
          if (mode === "standard") drop(table, path, connection);
        }
      }
    }
    return [...hearing]
      .filter((connection) => !told.has(connection))
      .map((connection) => ({ connection, event: { type, path } }));
  }
}

const NOBODY: ReadonlySet<ConnectionId> = new Set();

function add(table: Map<string, Watchers>, path: string, connection: ConnectionId, mode: WatcherMode): void {
  const watchers = table.get(path) ?? new Map<ConnectionId, WatcherMode>();
  table.set(path, watchers);
  watchers.set(connection, mode);
}

function drop(table: Map<string, Watchers>, path: string, connection: ConnectionId): boolean {
  const watchers = table.get(path);
  const was = watchers?.delete(connection) ?? false;
  if (watchers?.size === 0) table.delete(path);
  return was;
}

function entries(table: Map<string, Watchers>, kind: "data" | "children"): WatchSet[] {
  return [...table].flatMap(([path, watchers]) =>
    [...watchers].map(([connection, mode]) => ({ path, kind, connection, mode })),
  );
}
