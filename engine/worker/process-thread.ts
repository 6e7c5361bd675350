/** The thread of one process. Everything volatile that the process knows is here, and is gone when this is terminated. */
import { present } from "../base/assert.ts";
import { describeError, NO_RNG, RecordedProcess } from "../sim/host.ts";
import type { Build } from "../sim/process.ts";
import { ListSender } from "./lists.ts";
import type { FromThread, ToThread } from "./thread.ts";

/** What a thread needs of its worker's global scope. */
export interface ThreadScope {
  onmessage: ((event: MessageEvent<ToThread>) => void) | null;
  postMessage(answer: FromThread): void;
}

export function runProcessThread(scope: ThreadScope, build: Build): void {
  let process: RecordedProcess | null = null;
  let lists = new ListSender();

  function answerTo(message: ToThread): FromThread | null {
    switch (message.type) {
      case "hello":
        return { type: "hello", call: message.call };
      case "start":
        process = new RecordedProcess(build, message.spec, message.rng);
        lists = new ListSender();
        return null;
      case "restore":
        process = new RecordedProcess(build, message.spec, NO_RNG);
        process.restore(message.checkpoint);
        lists = new ListSender();
        return null;
      case "step":
        return {
          type: "stepped",
          call: message.call,
          result: present(process, "a process").step(message.inputs, message.stamp),
        };
      case "checkpoint": {
        const checkpoint = lists.abridge(present(process, "a process").checkpoint());
        return { type: "checkpoint", call: message.call, checkpoint };
      }
    }
  }

  scope.onmessage = ({ data }: MessageEvent<ToThread>) => {
    try {
      const answer = answerTo(data);
      if (answer !== null) scope.postMessage(answer);
    } catch (error) {
      if (!("call" in data)) throw error;
      scope.postMessage({ type: "failed", call: data.call, ...describeError(error) } satisfies FromThread);
    }
  };
}
