/** The coordinator of `program.ts`, in the page's own thread. */
import { REGISTER_KIT } from "../scenario/kit.ts";
import { createCoordinator } from "./coordinator.ts";
import type { Coordinator } from "./protocol.ts";

export function inPageCoordinator(): Coordinator {
  return createCoordinator(REGISTER_KIT, null);
}
