/** The program of the first page's workers: Raft and the register, and nothing that these do not need. */
import { REGISTER_KIT } from "../scenario/kit.ts";
import { runProgram } from "./run-program.ts";

runProgram(REGISTER_KIT);
