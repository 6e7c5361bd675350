import { describe, expect, it } from "vitest";
import { MS, SECOND } from "../base/units.ts";
import type { Command, ProcessId } from "../sim/command.ts";
import { DEFAULT_CONFIG, type RunConfig } from "./config.ts";
import { Run } from "./run.ts";
import { SYSTEMS_KIT } from "./systems.ts";

const [N1, C1] = ["n1" as ProcessId, "c1" as ProcessId];

async function written(count: number, change: Partial<RunConfig> = {}): Promise<Run> {
  const run = new Run({ seed: 1, config: { ...DEFAULT_CONFIG, members: 3, ...change } }, [], undefined, SYSTEMS_KIT);
  await run.advance(2 * SECOND);
  for (let i = 1; i <= count; i += 1) {
    const write: Command = { type: "write", client: C1, member: null, value: `v${i}` };
    expect(run.command(write)).toBeNull();
    await run.advance(run.position.at + 300 * MS);
  }
  return run;
}
const filesOf = (run: Run, member = N1) => run.disks().find((disk) => disk.member === member)?.files ?? [];
const sum = (run: Run): number => filesOf(run).reduce((total, { bytes }) => total + bytes, 0);
const diskBytes = (run: Run): number | undefined => run.keyframe().members?.find(({ id }) => id === N1)?.diskBytes;

describe("what lies on a member's disk", () => {
  it("is one segment at first, named as etcd names it, and its entries are durable once nothing is under way", async () => {
    const run = await written(3);
    expect(filesOf(run)).toMatchObject([
      { kind: "wal", name: "0000000000000000-0000000000000000.wal", firstIndex: 1, badBytes: 0 },
    ]);
    const [file] = filesOf(run);
    // What moves the commit index only need not be synced.
    expect(file?.durableBytes).toBeLessThanOrEqual(file?.bytes ?? 0);
    // The leader's empty entry, and the three.
    expect(file).toMatchObject({ lastIndex: 4, durableIndex: 4, records: { metadata: 1, entry: 4 } });
    expect(sum(run)).toBe(diskBytes(run));
  });

  it("shows what an fsync has not made durable yet", async () => {
    const run = await written(1, {});
    expect(
      run.command({ type: "disk", process: N1, quality: { fsyncMin: SECOND, fsyncMax: SECOND, tornWrites: false } }),
    ).toBeNull();
    expect(run.command({ type: "write", client: C1, member: null, value: "slow" })).toBeNull();
    await run.advance(run.position.at + 200 * MS);
    const [file] = filesOf(run);
    expect(file).toMatchObject({ lastIndex: 3, durableIndex: 2 });
    expect(file?.durableBytes).toBeLessThan(file?.bytes ?? 0);
  });

  it("has a snapshot that covers the log up to its index, and its mark in the segment", async () => {
    const run = await written(9, { snapshotEntries: 4 });
    const files = filesOf(run);
    expect(files[0]).toMatchObject({ kind: "snapshot", term: 1, index: 8, badBytes: 0 });
    expect(files[0]?.name).toBe("0000000000000001-0000000000000008.snap");
    expect(files[1]).toMatchObject({ kind: "wal", lastIndex: 10, records: { snapshot: 2 } });
  });

  it("says what a flipped bit has made unreadable", async () => {
    const run = await written(3);
    const before = filesOf(run)[0];
    expect(run.command({ type: "crash", process: N1 })).toBeNull();
    expect(run.command({ type: "corrupt", process: N1, back: 40 })).toBeNull();
    const [file] = filesOf(run);
    expect(file?.badBytes).toBeGreaterThan(0);
    // The crash took of what was not durable; a torn write leaves some of it.
    expect(file?.bytes).toBeGreaterThanOrEqual(before?.durableBytes ?? 0);
  });
});
