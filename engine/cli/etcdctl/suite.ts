/** Recorded sessions of etcdctl, replayed at consoles in a world of one or three members. */
import type { Suite } from "../suite.ts";
import { loadNormaliser } from "./normaliser.ts";
import { consolesFor, parseSession, playSession } from "./session.ts";
import { WorldBench } from "./world-bench.ts";

export const etcdctlSuite: Suite = {
  isCase: (path) => path.endsWith(".jsonl"),
  run: async (path, text) => {
    const session = parseSession(text);
    const normaliser = await loadNormaliser(path);
    const bench = await WorldBench.start(session.head, consolesFor(session));
    try {
      return await playSession(session, bench, normaliser(bench.names));
    } finally {
      await bench.close();
    }
  },
};
