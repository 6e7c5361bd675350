/** The coordinator in a worker of its own; it starts the members' workers itself, so that it is the bus. */
import { expose } from "comlink";
import { createCoordinator } from "./coordinator.ts";
import ProcessWorker from "./process.worker.ts?worker&inline";

expose(createCoordinator(() => new ProcessWorker({ name: "process" })));
