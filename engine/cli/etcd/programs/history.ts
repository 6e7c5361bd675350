/** The past: reads of old revisions, compactions, hashes, restarts in between. */
import { b64, Draw, EVERYTHING, inTurn, keyOf, KV, type Program, prefixOf, restart, spanOf, type Span } from "./kit.ts";

export function historyProgram(seed: number): Program {
  return {
    name: `history-${seed}`,
    about: "old revisions, compactions, hashes and restarts",
    seed,
    run: async (recorder) => {
      const draw = new Draw(seed, "history");
      const keys = draw.pick([3, 8, 40]);
      const key = (): string => `k${draw.below(keys)}`;
      const span = (): Span =>
        draw.way<Span>([
          [4, () => keyOf(key())],
          [3, () => prefixOf("k")],
          [1, () => EVERYTHING],
          [2, () => spanOf(key(), key())],
        ]);
      const put = (): Promise<unknown> =>
        recorder.call(`${KV}put`, { key: b64(key()), value: b64(`v${draw.below(99)}`) });
      const revision = (): string => String(draw.below(recorder.revision + 3));
      const steps: readonly (readonly [number, () => Promise<unknown>])[] = [
        [30, put],
        [8, () => recorder.call(`${KV}deleterange`, span())],
        [
          6,
          () =>
            recorder.call(`${KV}txn`, {
              success: [...new Set(draw.many(2, 9, key))].map((each) =>
                draw.chance(60)
                  ? { request_put: { key: b64(each), value: b64("t") } }
                  : { request_delete_range: keyOf(each) },
              ),
            }),
        ],
        [
          25,
          () =>
            recorder.call(`${KV}range`, {
              ...span(),
              revision: revision(),
              ...(draw.chance(30) && { count_only: true }),
            }),
        ],
        [
          3,
          () =>
            recorder.call(`${KV}txn`, {
              success: [
                { request_range: { ...span(), revision: revision() } },
                ...(draw.chance(50) ? [{ request_put: { key: b64(key()), value: b64("r") } }] : []),
              ],
            }),
        ],
        [
          5,
          () => recorder.call(`${KV}compaction`, { revision: revision(), ...(draw.chance(50) && { physical: true }) }),
        ],
        [10, () => recorder.hashKV(draw.chance(30) ? undefined : Number(revision()))],
        [
          1,
          () =>
            recorder.call(`${KV}compaction`, {
              revision: draw.pick(["0", "-1", String(recorder.revision), "9223372036854775807"]),
            }),
        ],
      ];
      await inTurn(draw.between(1, 3), async (i) => {
        if (i > 0) await restart(recorder, draw.pick(["graceful", "kill"]));
        await inTurn(45, () => draw.way(steps));
      });
      await recorder.call(`${KV}range`, EVERYTHING);
      await recorder.hashKV();
    },
  };
}
