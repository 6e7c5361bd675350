/** Leases: odd times and ids, keys that move between them, ends, renewals, restarts. */
import { b64, Draw, EVERYTHING, inTurn, keyOf, KV, LEASE, type Program, restart } from "./kit.ts";

const KEYS = ["a", "b", "c", "d", "e"];
const IDS = ["1", "2", "3", "77", "-5", "9223372036854775807", "-9223372036854775808", "4611686018427387904"];
const TIMES = [
  "600",
  "9000",
  "0",
  "-1",
  "1",
  "2",
  "3",
  "9000000000",
  "9000000001",
  "9223372036854775807",
  "-9223372036854775808",
];

export function leasingProgram(seed: number): Program {
  return {
    name: `leasing-${seed}`,
    about: "leases with odd times and ids, their keys, their ends",
    seed,
    run: async (recorder) => {
      const draw = new Draw(seed, "leasing");
      let made = 0;
      let watches = 0;
      const key = (): string => b64(draw.pick(KEYS));
      const id = (): string => (made > 0 && draw.chance(25) ? `$lease:${1 + draw.below(made)}` : draw.pick(IDS));
      const below = (): string => draw.pick([LEASE, LEASE, `${KV}lease/`]);
      // Of a short one nobody knows when it ends: it gets no keys, and nobody asks for it.
      const time = (): string => (draw.chance(60) ? draw.pick(["600", "9000"]) : draw.pick(TIMES));
      const isShort = (ttl: string): boolean => BigInt(ttl) < 600n;
      const grant = async (): Promise<unknown> => {
        const ttl = time();
        if (draw.chance(20) && !isShort(ttl)) {
          const told = await recorder.call(`${LEASE}grant`, { TTL: ttl, ...(draw.chance(40) && { ID: "0" }) });
          if (told.status === 200) made += 1;
          return told;
        }
        const chosen = draw.pick(IDS);
        const told = await recorder.call(`${LEASE}grant`, { TTL: ttl, ID: chosen });
        // Away with it before it ends by itself.
        if (told.status === 200 && isShort(ttl)) await recorder.call(`${LEASE}revoke`, { ID: chosen });
        return told;
      };
      const put = (): object => ({
        key: key(),
        ...(draw.chance(85) ? { value: b64(`v${draw.below(5)}`) } : { ignore_value: true }),
        ...(draw.chance(65) && { lease: id() }),
        ...(draw.chance(10) && { ignore_lease: true }),
        ...(draw.chance(20) && { prev_kv: true }),
      });
      const steps: readonly (readonly [number, () => Promise<unknown>])[] = [
        [14, grant],
        [26, () => recorder.call(`${KV}put`, put())],
        [
          10,
          () =>
            recorder.call(`${KV}txn`, {
              success: draw.many(1, 3, () =>
                draw.chance(70) ? { request_put: put() } : { request_delete_range: { key: key() } },
              ),
            }),
        ],
        [4, () => recorder.call(`${KV}deleterange`, keyOf(draw.pick(KEYS)))],
        [9, () => recorder.call(`${below()}revoke`, { ID: id() })],
        [14, () => recorder.call(`${below()}timetolive`, { ID: id(), ...(draw.chance(75) && { keys: true }) })],
        [4, () => recorder.call(`${below()}leases`, {})],
        [6, () => recorder.call(`${LEASE}keepalive`, { ID: id() })],
        [4, () => recorder.call(`${KV}range`, EVERYTHING)],
        [
          3,
          () =>
            recorder.call(`${KV}txn`, {
              compare: [
                {
                  key: key(),
                  target: "LEASE",
                  result: draw.pick(["EQUAL", "NOT_EQUAL", "GREATER", "LESS"]),
                  lease: id(),
                },
              ],
              success: [{ request_put: put() }],
            }),
        ],
        [
          1,
          async () => {
            await recorder.call(`${LEASE}grant`, { TTL: "2", ID: "500" });
            await recorder.call(`${KV}put`, { key: key(), value: b64("short"), lease: "500" });
            await recorder.untilExpired("500");
          },
        ],
      ];
      watches += 1;
      recorder.watchOpen(`w${watches}`);
      await recorder.watchSend(`w${watches}`, { create_request: { ...EVERYTHING, prev_kv: true } });
      await inTurn(90, () => draw.way(steps));
      await recorder.watchDrain(`w${watches}`);
      recorder.watchClose(`w${watches}`);
      if (draw.chance(40)) {
        await restart(recorder, draw.pick(["graceful", "kill"]));
        await inTurn(8, () => draw.way(steps));
        await inTurn(IDS.length, (i) => recorder.call(`${LEASE}timetolive`, { ID: IDS[i], keys: true }));
      }
      await recorder.call(`${LEASE}leases`, {});
      await recorder.call(`${KV}range`, EVERYTHING);
    },
  };
}
