/** The thread of one process. Everything volatile that the process knows is here, and is gone when this is terminated. */
import { present } from "../base/assert.ts";
import { build } from "../scenario/build.ts";
import { describeError, NO_RNG, RecordedProcess } from "../sim/host.ts";
import type { FromThread, ToThread } from "./thread.ts";

let process: RecordedProcess | null = null;

function answer(message: FromThread): void {
  postMessage(message);
}

function take(message: ToThread): void {
  switch (message.type) {
    case "hello":
      return answer({ type: "hello", call: message.call });
    case "start":
      process = new RecordedProcess(build, message.spec, message.rng);
      return;
    case "restore":
      process = new RecordedProcess(build, message.spec, NO_RNG);
      return process.restore(message.checkpoint);
    case "step":
      return answer({
        type: "stepped",
        call: message.call,
        result: present(process, "a process").step(message.inputs, message.stamp),
      });
    case "checkpoint":
      return answer({ type: "checkpoint", call: message.call, checkpoint: present(process, "a process").checkpoint() });
  }
}

onmessage = ({ data }: MessageEvent<ToThread>) => {
  try {
    take(data);
  } catch (error) {
    if ("call" in data) answer({ type: "failed", call: data.call, ...describeError(error) });
    else throw error;
  }
};
