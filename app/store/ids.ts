import type { ProcessId } from "../../engine/index.ts";

/** Whether a text has the shape of a process's name (n1, c1). Whether there is such a process, the engine says. */
export function isProcessId(text: string): text is ProcessId {
  return /^[a-z][a-z0-9-]{0,15}$/.test(text);
}

/** A client, and not what stands beside them: a resource (r1), a sentinel (s1). */
export function isClientId(id: ProcessId): boolean {
  return id.startsWith("c");
}
