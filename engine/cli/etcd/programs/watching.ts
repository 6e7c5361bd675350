/** Watches of every kind on several streams, while keys change, leases end and the past is compacted. */
import { b64, Draw, EVERYTHING, inTurn, keyOf, KV, LEASE, type Program, prefixOf, spanOf, type Span } from "./kit.ts";

const KEYS = ["a", "a/1", "a/2", "b", "b/1", "c", "\0", "\u00ff"];

export function watchingProgram(seed: number): Program {
  return {
    name: `watching-${seed}`,
    about: "watches from now, the past and the future, filtered, cancelled, compacted",
    seed,
    run: async (recorder) => {
      const draw = new Draw(seed, "watching");
      const key = (): string => draw.pick(KEYS);
      const value = (): string => b64(draw.chance(3) ? "x".repeat(draw.pick([2_000, 60_000])) : `v${draw.below(9)}`);
      const open = new Set<string>();
      let compacted = 0;
      let streams = 0;
      const span = (): Span =>
        draw.way<Span>([
          [5, () => keyOf(key())],
          [4, () => prefixOf(draw.pick(["a", "b/", "c", ""]))],
          [2, () => EVERYTHING],
          [2, () => spanOf(key(), "\0")],
          [2, () => spanOf(key(), key())],
          [1, () => ({ key: "" })],
          [1, () => ({ key: "", range_end: b64("\0") })],
        ]);
      /** 3.4.23 loses what was deleted at the compacted revision itself. */
      const start = (): string => {
        const now = recorder.revision;
        const at = draw.way<number>([
          [5, () => now - draw.below(20)],
          [2, () => 1 + draw.below(now)],
          [2, () => now + 1],
          [2, () => now + draw.below(6)],
          [1, () => compacted - draw.below(3)],
        ]);
        return String(Math.max(1, at === compacted ? at + 1 : at));
      };
      const create = (): object => ({
        create_request: {
          ...span(),
          ...(draw.chance(50) && { start_revision: start() }),
          ...(draw.chance(40) && { prev_kv: true }),
          ...(draw.chance(25) && {
            filters: draw.pick([["NOPUT"], ["NODELETE"], ["NOPUT", "NODELETE"], ["NOPUT", "NOPUT"]]),
          }),
          ...(draw.chance(25) && { watch_id: String(draw.pick([1, 2, 3, 5, 7, 100])) }),
          ...(draw.chance(15) && { fragment: true }),
          ...(draw.chance(15) && { progress_notify: true }),
        },
      });
      const put = (): object => ({
        key: b64(key()),
        value: value(),
        ...(draw.chance(15) && { lease: draw.pick(["21", "22"]) }),
      });
      const anyOpen = (): string | null => (open.size === 0 ? null : draw.pick([...open]));
      const onStream = (act: (id: string) => Promise<unknown>): Promise<unknown> => {
        const id = anyOpen();
        return id === null ? recorder.call(`${KV}put`, put()) : act(id);
      };
      const steps: readonly (readonly [number, () => Promise<unknown>])[] = [
        [30, () => recorder.call(`${KV}put`, put())],
        [10, () => recorder.call(`${KV}deleterange`, draw.chance(60) ? keyOf(key()) : span())],
        [
          12,
          () => {
            const keys = [...new Set(draw.many(1, 5, key))];
            const ops = keys.map((each) =>
              draw.chance(65) ? { request_put: { ...put(), key: b64(each) } } : { request_delete_range: keyOf(each) },
            );
            return recorder.call(`${KV}txn`, { success: ops });
          },
        ],
        [
          4,
          async () => {
            if (open.size >= 4) return;
            streams += 1;
            const id = `s${streams}`;
            open.add(id);
            recorder.watchOpen(id);
            await inTurn(draw.between(1, 4), () => recorder.watchSend(id, create()));
          },
        ],
        [6, () => onStream((id) => recorder.watchSend(id, create()))],
        [
          4,
          () =>
            onStream((id) =>
              recorder.watchSend(id, { cancel_request: { watch_id: String(draw.pick([0, 1, 2, 3, 4, 7, 100])) } }),
            ),
        ],
        [6, () => onStream((id) => recorder.watchDrain(id))],
        [
          1,
          () =>
            onStream(async (id) => {
              await recorder.watchDrain(id);
              recorder.watchClose(id);
              open.delete(id);
            }),
        ],
        [
          2,
          async () => {
            const revision = Math.max(1, recorder.revision - draw.below(15));
            const told = await recorder.call(`${KV}compaction`, {
              revision: String(revision),
              ...(draw.chance(50) && { physical: true }),
            });
            if (told.status === 200) compacted = revision;
          },
        ],
        [1, () => recorder.call(`${LEASE}revoke`, { ID: draw.pick(["21", "22"]) })],
        [2, () => recorder.call(`${LEASE}grant`, { ID: draw.pick(["21", "22"]), TTL: "9000" })],
      ];
      await recorder.call(`${LEASE}grant`, { ID: "21", TTL: "9000" });
      await inTurn(90, () => draw.way(steps));
      await inTurn(open.size, async (i) => {
        const id = [...open][i] as string;
        await recorder.watchDrain(id);
        recorder.watchClose(id);
      });
      await recorder.call(`${KV}range`, EVERYTHING);
    },
  };
}
