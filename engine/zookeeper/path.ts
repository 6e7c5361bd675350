/** Paths of znodes: which are allowed, and what a path's parts are (ZooKeeper's PathUtils). */

/** ZooKeeper's own nodes, which cannot be deleted. */
export const SYSTEM_PATHS: ReadonlySet<string> = new Set(["/", "/zookeeper", "/zookeeper/config", "/zookeeper/quota"]);

/** The node that anyone may read and nobody may write. */
export const CONFIG_PATH = "/zookeeper/config";

/**
 * Whether a node may have this path: absolute, no trailing slash, no empty, `.` or `..` part, and none of the
 * characters that Java's client or a terminal cannot show.
 */
export function isValidPath(path: string): boolean {
  if (path === "/") return true;
  if (!path.startsWith("/") || path.endsWith("/")) return false;
  const parts = path.slice(1).split("/");
  return parts.every((part) => part !== "" && part !== "." && part !== "..") && !hasBadUnit(path);
}

function hasBadUnit(path: string): boolean {
  for (let i = 0; i < path.length; i += 1) {
    const unit = path.charCodeAt(i);
    if (unit <= 0x1f || (unit >= 0x7f && unit <= 0x9f)) return true;
    if ((unit >= 0xd800 && unit <= 0xf8ff) || unit >= 0xfff0) return true;
  }
  return false;
}

/** The path as far as its last slash; empty for the children of the root, null where there is no parent to name. */
export function parentOf(path: string): string | null {
  const slash = path.lastIndexOf("/");
  return slash === -1 || path.includes("\0") ? null : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The root answers to the empty path too. */
export function nodeKey(path: string): string {
  return path === "" ? "/" : path;
}

/** The path and all above it, down to up: `/a/b`, `/a`, `/`. */
export function pathAndParents(path: string): readonly string[] {
  const paths = [path];
  if (!path.startsWith("/")) return paths;
  for (let at = path; at.length > 1; ) {
    at = at.slice(0, at.lastIndexOf("/")) || "/";
    paths.push(at);
  }
  return paths;
}

/** The number that a sequential create adds, as Java's `%010d` prints it. */
export function sequenceSuffix(counter: number): string {
  return counter < 0 ? `-${String(-counter).padStart(9, "0")}` : String(counter).padStart(10, "0");
}
