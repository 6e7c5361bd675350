/**
 * The kit that knows all systems. It is for Node, for tests, and for the page's second program, which is fetched when a
 * run asks for more than the register.
 */
import { type Kit, REGISTER_KIT } from "./kit.ts";

export const SYSTEMS_KIT: Kit = REGISTER_KIT;
