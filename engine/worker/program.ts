/**
 * The program of the first page's workers: Raft and the register, and nothing that these do not need. Comlink comes first
 * in it, and so right behind the page's own copy, where it packs to next to nothing.
 */
import { runProgram } from "./run-program.ts";
import { REGISTER_KIT } from "../scenario/kit.ts";

runProgram(REGISTER_KIT);
