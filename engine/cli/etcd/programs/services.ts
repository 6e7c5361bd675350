/** The Lock and Election services: waiters that come, give up, are woken; sessions that end; who watches. */
import { b64, Draw, EVERYTHING, inTurn, keyOf, KV, LEASE, type Program, prefixOf } from "./kit.ts";

const LEASES = [0x51, 0x52, 0x53, 0x54];

export function servicesProgram(seed: number): Program {
  return {
    name: `services-${seed}`,
    about: "locks and elections with waiters",
    seed,
    run: async (recorder) => {
      const draw = new Draw(seed, "services");
      let calls = 0;
      // Who waits, in the order of the queue: the first owns it.
      const locks: { readonly id: string; readonly lease: number }[] = [];
      let owner: number | null = null;
      const name = b64("q");
      const lockKey = (lease: number): string => b64(`q/${lease.toString(16)}`);
      const free = (): number[] =>
        LEASES.filter((lease) => lease !== owner && locks.every((each) => each.lease !== lease));
      /** The owner's key has gone: the next one in the queue owns. */
      const passOn = async (): Promise<void> => {
        const next = locks.shift();
        owner = next?.lease ?? null;
        if (next !== undefined) await recorder.await(next.id);
      };
      const leaders = new Map<string, unknown>();
      /** Where a key stands that is no candidate's: who campaigns waits for it to go. */
      const foreign = new Set<string>();
      const observers = new Set<string>();
      const lockSteps: readonly (readonly [number, () => Promise<unknown>])[] = [
        [
          8,
          async () => {
            const [lease] = free();
            if (lease === undefined) return;
            if (owner === null) {
              owner = lease;
              await recorder.call("/v3/lock/lock", { name, lease: String(lease) });
              return;
            }
            calls += 1;
            locks.push({ id: `l${calls}`, lease });
            await recorder.callAsync(`l${calls}`, "/v3/lock/lock", { name, lease: String(lease) });
          },
        ],
        [2, async () => (owner === null ? undefined : recorder.call("/v3/lock/lock", { name, lease: String(owner) }))],
        [
          5,
          async () => {
            if (owner === null) return;
            await (draw.chance(70)
              ? recorder.call("/v3/lock/unlock", { key: lockKey(owner) })
              : recorder.call(`${KV}deleterange`, { key: lockKey(owner) }));
            await passOn();
          },
        ],
        [
          2,
          async () => {
            const lease = owner;
            if (lease === null) return;
            await recorder.call(`${LEASE}revoke`, { ID: String(lease) });
            await passOn();
            await recorder.call(`${LEASE}grant`, { ID: String(lease), TTL: "9000" });
          },
        ],
        [
          2,
          async () => {
            if (locks.length === 0) return;
            const [gone] = locks.splice(draw.below(locks.length), 1);
            if (gone !== undefined) await recorder.abort(gone.id);
          },
        ],
        [2, async () => locks.forEach(({ id }) => recorder.stillBlocked(id))],
        [3, () => recorder.call(`${KV}range`, prefixOf("q"))],
        [
          1,
          () => recorder.call("/v3/lock/unlock", draw.pick<object>([{}, { key: b64("nothing") }, { key: b64("q/") }])),
        ],
        [1, () => recorder.call("/v3/lock/lock", { name: b64("r"), lease: "404" })],
      ];
      const value = (): string => b64(`c${draw.below(6)}`);
      const election = (given: string): { readonly name: string } => ({ name: b64(given) });
      const leaderSteps: readonly (readonly [number, () => Promise<unknown>])[] = [
        [
          6,
          async () => {
            const place = draw.pick(["e", "f", "g"]);
            if (foreign.has(place)) return;
            const lease = { e: 0x61, f: 0x62, g: 0x63 }[place] as number;
            const told = await recorder.call("/v3/election/campaign", {
              ...election(place),
              lease: String(lease),
              value: value(),
            });
            if (told.status === 200) leaders.set(place, told.res?.["leader"]);
          },
        ],
        [4, () => recorder.call("/v3/election/leader", election(draw.pick(["e", "f", "g", "h", ""])))],
        [
          5,
          () => {
            const leader = leaders.get(draw.pick(["e", "f", "g"]));
            return recorder.call("/v3/election/proclaim", { ...(leader !== undefined && { leader }), value: value() });
          },
        ],
        [
          3,
          () => {
            const leader = leaders.get(draw.pick(["e", "f", "g"])) as { readonly rev?: string } | undefined;
            const given = leader === undefined ? {} : { leader: draw.chance(80) ? leader : { ...leader, rev: "1" } };
            return recorder.call("/v3/election/resign", given);
          },
        ],
        [
          2,
          async () => {
            if (observers.size >= 2) return;
            calls += 1;
            observers.add(`o${calls}`);
            await recorder.streamOpen(`o${calls}`, "/v3/election/observe", election(draw.pick(["e", "f"])));
          },
        ],
        [4, async () => (observers.size === 0 ? undefined : recorder.streamDrain(draw.pick([...observers])))],
        [
          2,
          () => {
            const place = draw.pick(["e", "f", "g"]);
            foreign.delete(place);
            return recorder.call(`${KV}deleterange`, prefixOf(`${place}/`));
          },
        ],
        [
          2,
          () => {
            const place = draw.pick(["e", "f"]);
            foreign.add(place);
            return recorder.call(`${KV}put`, { ...keyOf(`${place}/zz`), value: value() });
          },
        ],
        [
          2,
          () => {
            const place = draw.pick(["e", "f"]);
            foreign.delete(place);
            return recorder.call(`${KV}deleterange`, keyOf(`${place}/zz`));
          },
        ],
      ];
      await inTurn(LEASES.length, (i) => recorder.call(`${LEASE}grant`, { ID: String(LEASES[i]), TTL: "9000" }));
      await inTurn(3, (i) => recorder.call(`${LEASE}grant`, { ID: String(0x61 + i), TTL: "9000" }));
      const steps = seed % 2 === 0 ? lockSteps : leaderSteps;
      await inTurn(45, () => draw.way(steps));
      await inTurn(observers.size, async (i) => {
        const id = [...observers][i] as string;
        await recorder.streamDrain(id);
        recorder.streamClose(id);
      });
      await inTurn(locks.length, (i) => recorder.abort((locks[i] as { readonly id: string }).id));
      await recorder.call(`${KV}range`, EVERYTHING);
    },
  };
}
