/** What a client's library remembers of its own watches, to say them again on a new connection (ZooKeeper's ZKWatchManager). */
import type { Answer, Call, WatchEvent, WatchList } from "./api.ts";

const KINDS = ["data", "exist", "child", "persistent", "recursive"] as const;
type Kind = (typeof KINDS)[number];

export class ClientWatches {
  readonly #paths: Readonly<Record<Kind, Set<string>>> = {
    data: new Set(),
    exist: new Set(),
    child: new Set(),
    persistent: new Set(),
    recursive: new Set(),
  };

  /** A call was answered: what it leaves. `exists` of a missing node waits for its creation. */
  answered(call: Call, answer: Answer): void {
    const { data, exist, child, persistent, recursive } = this.#paths;
    if (call.call === "exists" && call.watch) {
      if (answer.err === "OK") data.add(call.path);
      else if (answer.err === "NoNode") exist.add(call.path);
    }
    if (answer.err !== "OK") return;
    if (call.call === "getData" && call.watch) data.add(call.path);
    if (call.call === "getChildren" && call.watch) child.add(call.path);
    if (call.call === "addWatch") (call.mode === "persistent" ? persistent : recursive).add(call.path);
    if (call.call !== "removeWatches") return;
    const kinds = { data: [data, exist], children: [child], any: Object.values(this.#paths) }[call.type];
    for (const paths of kinds) paths.delete(call.path);
  }

  /** An event came: the standard watches that it stands for are used up. */
  fired({ type, path }: WatchEvent): void {
    const { data, exist, child } = this.#paths;
    if (type !== "NodeChildrenChanged") {
      data.delete(path);
      exist.delete(path);
    }
    if (type === "NodeChildrenChanged" || type === "NodeDeleted") child.delete(path);
  }

  get isEmpty(): boolean {
    return KINDS.every((kind) => this.#paths[kind].size === 0);
  }

  list(): WatchList {
    const { data, exist, child, persistent, recursive } = this.#paths;
    return {
      data: [...data],
      exist: [...exist],
      child: [...child],
      persistent: [...persistent],
      recursive: [...recursive],
    };
  }

  load(list: WatchList): void {
    for (const kind of KINDS) {
      this.#paths[kind].clear();
      for (const path of list[kind]) this.#paths[kind].add(path);
    }
  }
}
