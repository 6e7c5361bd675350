import { describe, expect, it } from "vitest";
import { rngFor } from "../base/rng.ts";
import { Disk } from "./disk.ts";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const contents = (disk: Disk): Record<string, number[]> =>
  Object.fromEntries(disk.read().map(({ name, bytes: held }) => [name, [...held]]));

describe("a crash", () => {
  it("loses what no ended sync covers", () => {
    const disk = new Disk();
    disk.append("a", bytes(1, 2));
    disk.syncBegins();
    disk.append("a", bytes(3));
    disk.syncEnds();
    disk.append("b", bytes(4));
    disk.crash(false, rngFor(1, "disk"));
    expect(contents(disk)).toEqual({ a: [1, 2] });
  });

  it("loses what a sync covers that has begun and not ended", () => {
    const disk = new Disk();
    disk.append("a", bytes(1));
    disk.syncBegins();
    disk.crash(false, rngFor(1, "disk"));
    expect(contents(disk)).toEqual({});
  });

  it("brings back a removed and a truncated file whose change was not synced", () => {
    const disk = new Disk();
    disk.append("a", bytes(1, 2, 3));
    disk.append("b", bytes(4));
    disk.syncBegins();
    disk.syncEnds();
    disk.truncate("a", 1);
    disk.append("a", bytes(9));
    disk.remove("b");
    disk.crash(false, rngFor(1, "disk"));
    expect(contents(disk)).toEqual({ a: [1, 2, 3], b: [4] });
  });

  it("with torn writes keeps a prefix of the unsynced bytes, of every length in turn", () => {
    const lengths = new Set<number>();
    for (let seed = 0; seed < 60; seed += 1) {
      const disk = new Disk();
      disk.append("a", bytes(1));
      disk.syncBegins();
      disk.syncEnds();
      disk.append("a", bytes(2, 3, 4));
      disk.crash(true, rngFor(seed, "disk"));
      const held = contents(disk)["a"] ?? [];
      expect([1, 2, 3, 4].slice(0, held.length)).toEqual(held);
      lengths.add(held.length);
    }
    expect([...lengths].sort((a, b) => a - b)).toEqual([1, 2, 3, 4]);
  });

  it("leaves a file that can be appended to after what was lost", () => {
    const disk = new Disk();
    disk.append("a", bytes(1));
    disk.syncBegins();
    disk.syncEnds();
    disk.append("a", bytes(2));
    disk.crash(false, rngFor(1, "disk"));
    disk.append("a", bytes(3));
    expect(contents(disk)).toEqual({ a: [1, 3] });
  });
});

describe("a disk that is kept", () => {
  it("is not touched by what the original does after a crash", () => {
    const disk = new Disk();
    disk.append("a", bytes(1));
    disk.syncBegins();
    disk.syncEnds();
    disk.append("a", bytes(2));
    const kept = disk.state();
    disk.crash(false, rngFor(1, "disk"));
    disk.append("a", bytes(3, 3));
    const copy = new Disk(kept);
    expect(contents(copy)).toEqual({ a: [1, 2] });
    copy.crash(false, rngFor(1, "disk"));
    expect(contents(copy)).toEqual({ a: [1] });
    expect(contents(disk)).toEqual({ a: [1, 3, 3] });
  });

  it("goes on from its state as if nothing had been, and leaves the original alone", () => {
    const disk = new Disk();
    disk.append("a", bytes(1));
    disk.syncBegins();
    disk.append("a", bytes(2));
    const copy = new Disk(disk.state());
    disk.append("a", bytes(3));
    copy.append("a", bytes(4));
    copy.syncEnds();
    copy.crash(false, rngFor(1, "disk"));
    expect(contents(copy)).toEqual({ a: [1] });
    expect(contents(disk)).toEqual({ a: [1, 2, 3] });
  });
});

it("a flipped bit changes one bit of one byte", () => {
  const disk = new Disk();
  disk.append("a", bytes(0, 0));
  disk.append("a", bytes(0));
  disk.flip("a", 2, 5);
  expect(contents(disk)).toEqual({ a: [0, 0, 32] });
});
