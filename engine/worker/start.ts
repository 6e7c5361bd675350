/** Starts the coordinator's worker. The page's side of `program.ts`. */
import program from "virtual:worker-program";

/** A classic worker from a blob: the only kind that every browser allows from file:// and in a sandboxed frame. */
export function startCoordinatorWorker(): Worker {
  const parts = [`self.lockstepProgram=${JSON.stringify(program)};`, program];
  const url = URL.createObjectURL(new Blob(parts, { type: "text/javascript" }));
  const worker = new Worker(url, { name: "coordinator" });
  worker.addEventListener("message", () => URL.revokeObjectURL(url), { once: true });
  return worker;
}
