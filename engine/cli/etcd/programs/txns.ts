/** Deep transactions: compares of ranges, nested branches, many operations, and what is refused of them. */
import { b64, Draw, EVERYTHING, inTurn, keyOf, KV, LEASE, type Program, prefixOf, spanOf, type Span } from "./kit.ts";

const KEYS = ["a", "a/1", "a/2", "a/3", "b", "b/1", "b/2", "c", "c/x", "d"];
const RESULTS = ["EQUAL", "GREATER", "LESS", "NOT_EQUAL"];
const FIELD = {
  VERSION: "version",
  CREATE: "create_revision",
  MOD: "mod_revision",
  LEASE: "lease",
  VALUE: "value",
} as const;

export function txnsProgram(seed: number): Program {
  return {
    name: `txns-${seed}`,
    about: "nested transactions over compares of ranges",
    seed,
    run: async (recorder) => {
      const draw = new Draw(seed, "txns");
      const key = (): string => draw.pick(KEYS);
      const value = (): string => b64(`v${draw.below(4)}`);
      const lease = (): string => (draw.chance(95) ? draw.pick(["11", "12", "0"]) : "99");
      const span = (): Span =>
        draw.way<Span>([
          [6, () => keyOf(key())],
          [4, () => prefixOf(draw.pick(["a", "a/", "b/", "c", "z"]))],
          [2, () => spanOf(key(), key())],
          [1, () => spanOf(key(), "\0")],
          [1, () => EVERYTHING],
        ]);
      const near = (): string => String(Math.max(0, recorder.revision - draw.below(12)));
      const compare = (): object => {
        const target = draw.pick(Object.keys(FIELD) as (keyof typeof FIELD)[]);
        const figure = {
          VERSION: () => String(draw.below(4)),
          CREATE: near,
          MOD: near,
          LEASE: lease,
          VALUE: value,
        }[target];
        const says = draw.chance(92) ? { [FIELD[target]]: figure() } : {};
        const shape = { ...span(), ...says };
        // Left out, a target is VERSION and a result EQUAL.
        return {
          ...shape,
          ...(target === "VERSION" && draw.chance(20) ? {} : { target }),
          ...(draw.chance(92) && { result: draw.pick(RESULTS) }),
        };
      };
      const put = (): object => ({
        key: b64(draw.chance(98) ? key() : ""),
        ...(draw.chance(85) ? { value: value() } : { ignore_value: true, ...(draw.chance(15) && { value: value() }) }),
        ...(draw.chance(25) && { lease: lease() }),
        ...(draw.chance(8) && { ignore_lease: true }),
        ...(draw.chance(25) && { prev_kv: true }),
      });
      const range = (): object => ({
        ...span(),
        ...(draw.chance(20) && { limit: String(draw.below(4)) }),
        ...(draw.chance(10) && { revision: draw.chance(85) ? near() : String(recorder.revision + draw.below(3)) }),
        ...(draw.chance(10) && { count_only: true }),
        ...(draw.chance(15) && {
          sort_order: draw.pick(["ASCEND", "DESCEND"]),
          sort_target: draw.pick(["KEY", "MOD", "VALUE"]),
        }),
      });
      const op = (depth: number): object =>
        draw.way<object>([
          [40, () => ({ request_put: put() })],
          [30, () => ({ request_range: range() })],
          [
            20,
            () => ({
              request_delete_range: {
                ...(draw.chance(75) ? keyOf(key()) : span()),
                ...(draw.chance(40) && { prev_kv: true }),
              },
            }),
          ],
          [depth < 4 ? 35 : 1, () => (depth < 4 ? { request_txn: txn(depth + 1) } : {})],
        ]);
      const txn = (depth: number): object => ({
        compare: draw.many(0, draw.pick([1, 2, 3]), compare),
        success: draw.many(0, depth > 1 ? 2 : 4, () => op(depth)),
        failure: draw.many(0, depth > 1 ? 2 : 3, () => op(depth)),
      });
      const wide = (count: number): object => ({
        compare: draw.chance(30) ? Array.from({ length: count }, compare) : [],
        success: Array.from({ length: count }, (_, i) => ({ request_put: { key: b64(`w${i}`), value: value() } })),
        ...(draw.chance(50) && { failure: [{ request_txn: { success: draw.many(1, 3, () => op(4)) } }] }),
      });
      await recorder.call(`${LEASE}grant`, { ID: "11", TTL: "9000" });
      await recorder.call(`${LEASE}grant`, { ID: "12", TTL: "9000" });
      await inTurn(12, () => recorder.call(`${KV}put`, put()));
      await inTurn(110, () =>
        draw.way<Promise<unknown>>([
          [70, () => recorder.call(`${KV}txn`, txn(0))],
          [14, () => recorder.call(`${KV}put`, put())],
          [5, () => recorder.call(`${KV}deleterange`, span())],
          [2, () => recorder.call(`${KV}txn`, wide(draw.pick([2, 40, 126, 127, 128, 129])))],
          [3, () => recorder.call(`${LEASE}timetolive`, { ID: lease(), keys: true })],
          [1, () => recorder.call(`${LEASE}revoke`, { ID: lease() })],
          [1, () => recorder.call(`${LEASE}grant`, { ID: draw.pick(["11", "12"]), TTL: "9000" })],
          [2, () => recorder.call(`${KV}compaction`, { revision: near() })],
        ]),
      );
      await recorder.call(`${KV}range`, EVERYTHING);
      await recorder.hashKV();
    },
  };
}
