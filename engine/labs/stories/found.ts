/** Stories that campaigns found (`npm run sim -- --labs`), made as short as they go: what is left is all that it takes. */
import { SECOND } from "../../base/units.ts";
import { DEFAULT_PARAMS, type LabConfig } from "../config.ts";
import type { LabStory } from "../story.ts";
import { A, at, B, STEP_TIME, WARM_UP, who } from "./fair.ts";

const LAB: LabConfig = {
  system: "etcd-mutex",
  variant: "3.5",
  lock: "lock",
  servers: 3,
  fenced: true,
  params: {
    ...DEFAULT_PARAMS,
    lock: "lock",
    ttl: 6 * SECOND,
    work: 11 * SECOND,
    writes: [0, 500_000, 2 * SECOND, 5 * SECOND, 9 * SECOND],
    beatFirst: 0,
    beatEvery: 2 * SECOND,
  },
  clients: [who(1.894691), who(0.922857), who(2.699228)],
  stepTime: STEP_TIME,
  warmUp: WARM_UP,
};

export const FOUND_STORIES: readonly LabStory[] = [
  {
    id: "found-pause-mutex",
    lab: LAB,
    seed: 92,
    steps: [at(1.365, { type: "pause", process: B })],
    endsAt: 8,
    expect: [
      { says: "overlap", clients: [A, B], from: [7.3, 7.6] },
      { says: "lost-updates", count: 0 },
    ],
  },
  {
    id: "found-turn-zookeeper",
    lab: {
      ...LAB,
      system: "zookeeper",
      variant: "published",
      fenced: false,
      params: { ...LAB.params, ttl: 4 * SECOND, beatFirst: null, limit: 8 * SECOND },
      clients: [who(2.445604), who(0.774387)],
    },
    seed: 36,
    steps: [at(9.473, { type: "crash", process: B })],
    endsAt: 11,
    // Its wait was over, and it took that for its turn; the dead one's node was still before it.
    expect: [
      { says: "no-overlap" },
      { says: "out-of-turn", count: 1 },
      { says: "believes", client: A, within: [10.4, 10.8] },
    ],
  },
];
