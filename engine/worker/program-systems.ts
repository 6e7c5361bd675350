/** The program of workers that run any system; the page fetches it when a run asks for more than the register. */
import { SYSTEMS_KIT } from "../scenario/systems.ts";
import { runProgram } from "./run-program.ts";

runProgram(SYSTEMS_KIT);
