/** The coordinator of `program-systems.ts`, in the page's own thread. */
import { SYSTEMS_KIT } from "../scenario/systems.ts";
import { createCoordinator } from "./coordinator.ts";
import type { Coordinator } from "./protocol.ts";

export function inPageCoordinator(): Coordinator {
  return createCoordinator(SYSTEMS_KIT, null);
}
