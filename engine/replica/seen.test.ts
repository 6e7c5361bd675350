import { describe, expect, it } from "vitest";
import { ByteReader, ByteWriter } from "../base/bytes.ts";
import type { NodeId } from "../raft/types.ts";
import { Seen } from "./seen.ts";

const at = (serial: number, incarnation = 1, origin = "n1") => ({ origin: origin as NodeId, incarnation, serial });

describe("what was applied", () => {
  it("is new once, in whichever order it comes", () => {
    const seen = new Seen();
    expect([1, 3, 2, 3, 1, 4].map((serial) => seen.add(at(serial)))).toEqual([true, true, true, false, false, true]);
  });

  it("is told apart by member and by life, and an older life is over", () => {
    const seen = new Seen();
    expect(seen.add(at(1))).toBe(true);
    expect(seen.add(at(1, 1, "n2"))).toBe(true);
    expect(seen.add(at(1, 2))).toBe(true);
    expect(seen.add(at(7, 1))).toBe(false);
  });

  it("counts as seen when it is older than the window", () => {
    const seen = new Seen();
    seen.add(at(5_000));
    expect(seen.add(at(904))).toBe(false);
    expect(seen.add(at(905))).toBe(true);
  });

  it("leaves nothing behind in the ring: a ticket is new a window later", () => {
    const seen = new Seen();
    for (const serial of [1, 2, 4_096, 4_100, 20_000]) expect(seen.add(at(serial))).toBe(true);
    for (let serial = 19_000; serial < 20_000; serial += 1) expect(seen.add(at(serial))).toBe(true);
    expect(seen.add(at(4_097 + 12_288))).toBe(true);
  });

  it("is the same after a snapshot", () => {
    const seen = new Seen();
    for (const serial of [1, 2, 5, 9, 4_000, 5_001]) seen.add(at(serial));
    const out = new ByteWriter();
    seen.snapshot(out);
    const again = new Seen();
    again.restore(new ByteReader(out.take()));
    expect(again.checkpoint()).toEqual(seen.checkpoint());
    expect([4_000, 5_001, 4_001].map((serial) => again.add(at(serial)))).toEqual([false, false, true]);
  });
});
