/** Starts the coordinator's worker with one of its programs. The page's side of `run-program.ts`. */

/** A classic worker from a blob: the only kind that every browser allows from file:// and in a sandboxed frame. */
export function startCoordinatorWorker(program: string): Worker {
  const parts = [`self.lockstepProgram=${JSON.stringify(program)};`, program];
  const url = URL.createObjectURL(new Blob(parts, { type: "text/javascript" }));
  const worker = new Worker(url, { name: "coordinator" });
  worker.addEventListener("message", () => URL.revokeObjectURL(url), { once: true });
  return worker;
}
