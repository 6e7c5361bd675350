/** Members, alarms, the quota, sizes at their limits. */
import { b64, Draw, EVERYTHING, inTurn, keyOf, KV, LEASE, type Program } from "./kit.ts";

const MEMBER = "/v3/cluster/member/";
const MAINTENANCE = "/v3/maintenance/";

export function upkeepProgram(seed: number): Program {
  const small = seed % 2 === 0;
  return {
    name: `upkeep-${seed}`,
    about: "members, alarms, quota and sizes",
    seed,
    ...(small && { flags: ["--quota-backend-bytes", String(20_000_000 + (seed % 7) * 1_000_000)] }),
    run: async (recorder) => {
      const draw = new Draw(seed, "upkeep");
      let members = 1;
      const member = (): string =>
        draw.chance(85) ? `$member:${1 + draw.below(members)}` : draw.pick(["12345", "0", "18446744073709551615"]);
      const urls = (): string[] =>
        draw.pick([
          ["http://127.0.0.1:1"],
          ["http://127.0.0.1:2", "http://127.0.0.1:3"],
          ["http://127.0.0.1:2"],
          [],
          ["none"],
          ["http://127.0.0.1"],
          ["https://127.0.0.1:4"],
          [""],
        ]);
      // Of two kinds a real etcd tells in no order. One of no kind ends it.
      const kind = small ? "NOSPACE" : draw.pick(["NOSPACE", "CORRUPT"]);
      const alarm = (): object => ({
        action: draw.pick(["GET", "ACTIVATE", "DEACTIVATE"]),
        alarm: kind,
        memberID: "7",
      });
      const large = (): Promise<unknown> => {
        const count = draw.pick([1_000, 200_000, 1_048_576, 1_572_000, 1_572_800, 1_572_864, 1_600_000]);
        return recorder.call(`${KV}put`, { key: b64(`big${draw.below(3)}`), value: { $fill: ["x", count] } });
      };
      const steps: readonly (readonly [number, () => Promise<unknown>])[] = [
        [6, () => recorder.call(`${MEMBER}list`, {})],
        [
          4,
          async () => {
            const told = await recorder.call(`${MEMBER}add`, { peerURLs: urls(), isLearner: true });
            if (told.status === 200) members += 1;
          },
        ],
        [
          5,
          () =>
            // A real etcd ends itself over a member that it knows and a URL that is none.
            recorder.call(
              `${MEMBER}update`,
              members > 1 && draw.chance(70)
                ? { ID: `$member:${2 + draw.below(members - 1)}`, peerURLs: [`http://127.0.0.1:${draw.between(1, 4)}`] }
                : { ID: "12345", peerURLs: urls() },
            ),
        ],
        [3, () => recorder.call(`${MEMBER}promote`, { ID: member() })],
        [
          4,
          () =>
            recorder.call(`${MEMBER}remove`, {
              ID: members > 1 && draw.chance(80) ? `$member:${2 + draw.below(members - 1)}` : "12345",
            }),
        ],
        [8, () => recorder.call(`${MAINTENANCE}alarm`, alarm())],
        [2, () => recorder.call(`${MAINTENANCE}status`, {})],
        [2, () => recorder.call(`${MAINTENANCE}defragment`, {})],
        [
          2,
          () =>
            recorder.call(`${MAINTENANCE}transfer-leadership`, { targetID: draw.pick(["$member:1", "12345", "0"]) }),
        ],
        [8, large],
        [8, () => recorder.call(`${KV}put`, { key: b64(`k${draw.below(4)}`), value: b64("v") })],
        [
          3,
          () =>
            recorder.call(`${KV}txn`, {
              success: [
                { request_put: { key: b64("t"), value: { $fill: ["y", draw.pick([10, 700_000])] } } },
                { request_put: { key: b64("u"), value: { $fill: ["z", draw.pick([10, 700_000, 900_000])] } } },
              ],
            }),
        ],
        [3, () => recorder.call(`${KV}deleterange`, keyOf(draw.pick(["big0", "big1", "k0", "t"])))],
        [4, () => recorder.call(`${KV}range`, { ...EVERYTHING, keys_only: true })],
        [2, () => recorder.call(`${LEASE}grant`, { ID: String(1 + draw.below(3)), TTL: "600" })],
        [2, () => recorder.call(`${KV}compaction`, { revision: String(recorder.revision), physical: true })],
      ];
      await recorder.call(`${MEMBER}list`, {});
      await inTurn(55, () => draw.way(steps));
      await recorder.call(`${MAINTENANCE}alarm`, { action: "GET" });
      await recorder.call(`${KV}range`, { ...EVERYTHING, keys_only: true });
    },
  };
}
