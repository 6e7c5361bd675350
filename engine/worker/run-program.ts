/**
 * What every worker does. Its name tells which part it plays: the coordinator, or the thread of a process.
 *
 * The coordinator starts the other threads itself, from the very text that it runs: the page puts that text in front
 * of it as a string (`start.ts`). So the program is sent over the network once, and a worker inside a worker
 * can be made from file:// and in a sandboxed frame, where only a blob of the worker's own will do.
 */
import { expose } from "comlink";
import type { Kit } from "../scenario/kit.ts";
import { createCoordinator } from "./coordinator.ts";
import { runProcessThread } from "./process-thread.ts";

declare const self: DedicatedWorkerGlobalScope & { readonly lockstepProgram?: string };

export function runProgram(kit: Kit): void {
  if (self.name === "process") return runProcessThread(self, kit.build);
  const program = self.lockstepProgram;
  const url = program === undefined ? null : URL.createObjectURL(new Blob([program], { type: "text/javascript" }));
  expose(createCoordinator(kit, url === null ? null : () => new Worker(url, { name: "process" })));
}
