import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Entry, NodeId } from "../raft/types.ts";
import { SEGMENT_BYTES, Wal, WalCorrupt, type WalFile } from "./wal.ts";

const N1 = "n1" as NodeId;

/** A disk that is only bytes. */
class Bytes {
  readonly files = new Map<string, Uint8Array>();
  append(file: string, bytes: Uint8Array): void {
    this.files.set(file, Uint8Array.of(...(this.files.get(file) ?? []), ...bytes));
  }
  truncate(file: string, length: number): void {
    this.files.set(file, (this.files.get(file) as Uint8Array).slice(0, length));
  }
  remove(file: string): void {
    this.files.delete(file);
  }
  read(): WalFile[] {
    return [...this.files].map(([name, bytes]) => ({ name, bytes })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

const entry = (index: number, term = 1, size = 3): Entry => ({
  index,
  term,
  type: "normal",
  data: new Uint8Array(size).fill(index),
});
const write = (wal: Wal, part: Partial<Parameters<Wal["write"]>[0]>): void =>
  wal.write({ hardState: null, entries: [], snapshot: null, ...part });
const recover = (disk: Bytes, node = N1) => new Wal(node, disk).recover(disk.read());

describe("recovery", () => {
  it("gives back the hard state and the entries that were written", () => {
    const disk = new Bytes();
    const wal = new Wal(N1, disk);
    write(wal, { hardState: { term: 2, vote: N1, commit: 0 }, entries: [entry(1), entry(2, 2)] });
    write(wal, { hardState: { term: 2, vote: N1, commit: 2 } });
    expect(recover(disk)).toEqual({
      hardState: { term: 2, vote: N1, commit: 2 },
      snapshot: { term: 0, index: 0 },
      entries: [entry(1), entry(2, 2)],
      tornBytes: 0,
    });
  });

  it("an entry written over an older one replaces it and all behind it", () => {
    const disk = new Bytes();
    const wal = new Wal(N1, disk);
    write(wal, { entries: [entry(1), entry(2), entry(3)] });
    write(wal, { entries: [entry(2, 5)] });
    expect(recover(disk).entries).toEqual([entry(1), entry(2, 5)]);
  });

  it("cut at any byte of its last write it finds all before it, and a write after that is found again", () => {
    const disk = new Bytes();
    const wal = new Wal(N1, disk);
    write(wal, { entries: [entry(1)] });
    const [{ name, bytes }] = disk.read() as [WalFile];
    write(wal, { hardState: { term: 1, vote: null, commit: 1 }, entries: [entry(2)] });
    const whole = disk.files.get(name) as Uint8Array;
    for (let length = bytes.length; length < whole.length; length += 1) {
      const torn = new Bytes();
      torn.append(name, whole.slice(0, length));
      const again = new Wal(N1, torn);
      const recovered = again.recover(torn.read());
      expect(recovered.entries[0]).toEqual(entry(1));
      write(again, { entries: [entry(recovered.entries.length + 1, 9)] });
      expect(recover(torn).entries).toEqual([...recovered.entries, entry(recovered.entries.length + 1, 9)]);
      expect(recover(torn).tornBytes).toBe(0);
    }
  });

  it("refuses a flipped bit anywhere before the last record, and never takes it for data", () => {
    const disk = new Bytes();
    const wal = new Wal(N1, disk);
    write(wal, { entries: [entry(1), entry(2)] });
    const [{ name, bytes }] = disk.read() as [WalFile];
    write(wal, { entries: [entry(3)] });
    const whole = disk.files.get(name) as Uint8Array;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: bytes.length - 1 }), fc.integer({ min: 0, max: 7 }), (at, bit) => {
        const bad = new Bytes();
        const damaged = whole.slice();
        damaged[at] = (damaged[at] as number) ^ (1 << bit);
        bad.append(name, damaged);
        expect(() => recover(bad)).toThrow(WalCorrupt);
      }),
    );
  });

  it("refuses the log of another member", () => {
    const disk = new Bytes();
    write(new Wal(N1, disk), { entries: [entry(1)] });
    expect(() => recover(disk, "n2" as NodeId)).toThrow(/belongs to n1/);
  });

  it("refuses a gap between entries", () => {
    const disk = new Bytes();
    const wal = new Wal(N1, disk);
    write(wal, { entries: [entry(1)] });
    write(wal, { entries: [entry(3)] });
    expect(() => recover(disk)).toThrow(/entry 3 does not follow 1/);
    const late = new Bytes();
    write(new Wal(N1, late), { entries: [entry(3)] });
    expect(() => recover(late)).toThrow(/entry 3 does not follow 0/);
  });

  it("starts behind the newest snapshot mark", () => {
    const disk = new Bytes();
    const wal = new Wal(N1, disk);
    write(wal, { entries: [entry(1), entry(2), entry(3)] });
    write(wal, { snapshot: { term: 1, index: 2 } });
    const { snapshot, entries } = recover(disk);
    expect({ snapshot, entries }).toEqual({ snapshot: { term: 1, index: 2 }, entries: [entry(3)] });
  });

  it("takes a mark whose snapshot file is not whole for torn, with all that follows it (sim seed 189)", () => {
    const disk = new Bytes();
    const wal = new Wal(N1, disk);
    write(wal, { entries: [entry(1), entry(2)] });
    write(wal, { snapshot: { term: 2, index: 5 }, hardState: { term: 2, vote: null, commit: 5 } });
    const again = new Wal(N1, disk);
    const recovered = again.recover(disk.read(), () => false);
    expect(recovered).toMatchObject({ hardState: null, snapshot: { index: 0 }, entries: [entry(1), entry(2)] });
    expect(recovered.tornBytes).toBeGreaterThan(0);
    write(again, { entries: [entry(3, 2)] });
    expect(recover(disk).entries).toEqual([entry(1), entry(2), entry(3, 2)]);
  });

  it("passes over a mark whose file is gone when a newer one stands behind it", () => {
    const disk = new Bytes();
    const wal = new Wal(N1, disk);
    write(wal, { entries: [entry(1), entry(2), entry(3)] });
    write(wal, { snapshot: { term: 1, index: 1 } });
    write(wal, { snapshot: { term: 1, index: 2 } });
    const { snapshot, entries } = new Wal(N1, disk).recover(disk.read(), ({ index }) => index === 2);
    expect({ snapshot, entries }).toEqual({ snapshot: { term: 1, index: 2 }, entries: [entry(3)] });
  });

  it("drops a log that a received snapshot does not agree with", () => {
    const disk = new Bytes();
    const wal = new Wal(N1, disk);
    write(wal, { entries: [entry(1), entry(2)] });
    write(wal, { snapshot: { term: 7, index: 2 } });
    write(wal, { entries: [entry(3, 7)] });
    expect(recover(disk).entries).toEqual([entry(3, 7)]);
  });
});

describe("segments", () => {
  const fill = (): { disk: Bytes; wal: Wal } => {
    const disk = new Bytes();
    const wal = new Wal(N1, disk);
    write(wal, { hardState: { term: 1, vote: N1, commit: 0 } });
    for (let index = 1; index <= 6; index += 1) write(wal, { entries: [entry(index, 1, SEGMENT_BYTES / 2)] });
    return { disk, wal };
  };

  it("a full one is followed by the next, and reading goes through all", () => {
    const { disk } = fill();
    expect(disk.files.size).toBe(3);
    expect(recover(disk).entries.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("are released when a snapshot covers all of them, and the hard state is still known", () => {
    const { disk, wal } = fill();
    write(wal, { snapshot: { term: 1, index: 4 } });
    wal.release(4);
    expect([...disk.files.keys()]).toEqual(["wal-00000003", "wal-00000004"]);
    const { hardState, snapshot, entries } = recover(disk);
    expect(hardState).toEqual({ term: 1, vote: N1, commit: 0 });
    expect({ snapshot, indexes: entries.map(({ index }) => index) }).toEqual({
      snapshot: { term: 1, index: 4 },
      indexes: [5, 6],
    });
  });

  it("damage at the end of one that others follow is no torn tail", () => {
    const { disk } = fill();
    const [first] = disk.read() as [WalFile];
    disk.truncate(first.name, first.bytes.length - 1);
    expect(() => recover(disk)).toThrow(WalCorrupt);
  });
});
