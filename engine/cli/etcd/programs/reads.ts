/** Ranges over many rows with ties, in every order, at every revision; also in transactions. */
import { b64, Draw, EVERYTHING, inTurn, keyOf, KV, type Program, prefixOf, spanOf, type Span } from "./kit.ts";

const TARGETS = ["KEY", "VERSION", "CREATE", "MOD", "VALUE"];
const ORDERS = ["NONE", "ASCEND", "DESCEND"];

export function readsProgram(seed: number): Program {
  return {
    name: `reads-${seed}`,
    about: "many rows with ties, sorted and filtered in every way",
    seed,
    run: async (recorder) => {
      const draw = new Draw(seed, "reads");
      const rows = draw.between(13, 140);
      const values = draw.pick([1, 2, 3, 5, 12, 60]);
      const key = (): string =>
        `${draw.pick(["k", "k", "k", "m/"])}${String(draw.below(rows)).padStart(draw.pick([1, 3]), "0")}`;
      const value = (): string => `v${draw.below(values)}`;
      const ordered = draw.chance(30);
      const put = (i: number): Promise<unknown> =>
        recorder.call(`${KV}put`, {
          key: b64(ordered ? `k${String(i).padStart(3, "0")}` : key()),
          value: b64(value()),
        });
      // A transaction gives many rows one revision.
      const putMany = (): Promise<unknown> => {
        const keys = new Set(draw.many(1, 40, key));
        return recorder.call(`${KV}txn`, {
          success: [...keys].map((each) => ({ request_put: { key: b64(each), value: b64(value()) } })),
        });
      };
      await inTurn(draw.between(2, 12), () => putMany());
      await inTurn(rows, put);
      await inTurn(draw.between(0, 25), () =>
        draw.chance(70) ? put(draw.below(rows)) : recorder.call(`${KV}deleterange`, keyOf(key())),
      );
      const span = (): Span =>
        draw.way<Span>([
          [5, () => prefixOf(draw.pick(["k", "k0", "k1", "m/"]))],
          [4, () => EVERYTHING],
          [2, () => spanOf(key(), key())],
          [1, () => spanOf(key(), "\0")],
        ]);
      const near = (): string => String(Math.max(1, recorder.revision - draw.below(rows + 5)));
      const range = (): object => ({
        ...span(),
        ...(draw.chance(85) && { sort_target: draw.pick(TARGETS) }),
        ...(draw.chance(80) && { sort_order: draw.pick(ORDERS) }),
        ...(draw.chance(40) && { limit: String(draw.pick([1, 2, 5, 12, 13, 14, 30, rows])) }),
        ...(draw.chance(25) && { revision: near() }),
        ...(draw.chance(25) && { keys_only: true }),
        ...(draw.chance(4) && { count_only: true }),
        ...(draw.chance(12) && { min_mod_revision: near() }),
        ...(draw.chance(12) && { max_mod_revision: near() }),
        ...(draw.chance(12) && { min_create_revision: near() }),
        ...(draw.chance(12) && { max_create_revision: near() }),
        ...(draw.chance(10) && { serializable: true }),
      });
      await inTurn(70, () =>
        draw.chance(85)
          ? recorder.call(`${KV}range`, range())
          : recorder.call(`${KV}txn`, { success: draw.many(1, 3, () => ({ request_range: range() })) }),
      );
    },
  };
}
