import { describe, expect, it } from "vitest";
import { layoutStage, pairsOf, type Point } from "./geometry.ts";
import { closedLoop, crossedLinks, insidePolygon, lassoGroups, segmentsCross } from "./paths.ts";

const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `n${i + 1}`);
const at = (x: number, y: number): Point => ({ x, y });
const circle = (x: number, y: number, r: number, turns = 1): Point[] =>
  Array.from({ length: 40 }, (_, i) =>
    at(x + r * Math.cos((i / 39) * turns * 2 * Math.PI), y + r * Math.sin((i / 39) * turns * 2 * Math.PI)),
  );

describe("the stage's layout", () => {
  const sizes = [
    [900, 560],
    [360, 330],
    [320, 300],
    [1400, 900],
  ] as const;
  for (const [width, height] of sizes) {
    for (let count = 1; count <= 9; count += 1) {
      it(`keeps ${count} members inside ${width} by ${height}, apart from each other`, () => {
        const layout = layoutStage(ids(count), ["c1"], width, height);
        const places = ids(count).map((id) => layout.places.get(id) ?? at(Number.NaN, Number.NaN));
        for (const { x, y } of places) {
          expect(x - layout.disc).toBeGreaterThanOrEqual(0);
          expect(x + layout.disc).toBeLessThanOrEqual(width);
          expect(y - layout.disc).toBeGreaterThanOrEqual(0);
          expect(y + layout.disc).toBeLessThanOrEqual(height);
        }
        places.forEach((p, i) => {
          for (const q of places.slice(i + 1))
            expect(Math.hypot(p.x - q.x, p.y - q.y)).toBeGreaterThan(layout.disc * 2);
        });
      });
    }
  }

  for (const [width, height] of [
    [900, 560],
    [1280, 720],
    [360, 420],
  ] as const) {
    it(`has a place for each of 50 clients inside ${width} by ${height}, none on another`, () => {
      const crowd = Array.from({ length: 50 }, (_, i) => `c${i + 1}`);
      const layout = layoutStage(ids(3), crowd, width, height, 1, "r1");
      const places = crowd.map((id) => layout.places.get(id) ?? at(Number.NaN, Number.NaN));
      for (const { x, y } of places) {
        expect(x - layout.clientBox.width / 2).toBeGreaterThanOrEqual(0);
        expect(x + layout.clientBox.width / 2).toBeLessThanOrEqual(width);
        expect(y - layout.clientBox.height / 2).toBeGreaterThanOrEqual(0);
        expect(y + layout.clientBox.height / 2).toBeLessThanOrEqual(height);
      }
      places.forEach((p, i) => {
        for (const q of places.slice(i + 1))
          expect(Math.max(Math.abs(p.x - q.x), Math.abs(p.y - q.y))).toBeGreaterThan(layout.clientBox.width);
      });
    });
  }

  it("shows more of each client the fewer there are", () => {
    const look = (count: number): string =>
      layoutStage(
        ids(3),
        Array.from({ length: count }, (_, i) => `c${i + 1}`),
        900,
        560,
        1,
        "r1",
      ).clientLook;
    expect([look(3), look(6), look(20)]).toEqual(["card", "line", "square"]);
  });

  it("puts a single member in the middle of its room", () => {
    const layout = layoutStage(["n1"], [], 900, 560);
    expect(layout.places.get("n1")).toMatchObject({ x: 450 });
    expect(layout.ring).toBe(0);
  });

  it("draws everything larger at presenter size", () => {
    const small = layoutStage(ids(5), [], 1400, 900, 1);
    const large = layoutStage(ids(5), [], 1400, 900, 1.5);
    expect(large.disc).toBeGreaterThan(small.disc);
  });
});

describe("a path on the stage", () => {
  const layout = layoutStage(ids(5), [], 900, 560);
  const place = (id: string): Point => layout.places.get(id) ?? at(0, 0);

  it("is closed when it comes back to its beginning, and when it crosses itself", () => {
    expect(closedLoop(circle(100, 100, 50), 30)).not.toBeNull();
    const fish = [at(0, 0), at(100, 0), at(100, 100), at(50, 100), at(50, -60)];
    expect(closedLoop(fish, 10)).not.toBeNull();
  });

  it("is open when it goes straight on, or there and back", () => {
    expect(closedLoop([at(0, 0), at(50, 1), at(100, 0), at(150, 2), at(200, 0)], 30)).toBeNull();
    expect(closedLoop([at(0, 0), at(50, 0), at(100, 0), at(50, 1), at(0, 1)], 30)).toBeNull();
  });

  it("closed round members names a group and the rest", () => {
    const { x, y } = place("n1");
    expect(lassoGroups(circle(x, y, 60), ids(5), layout.places)).toEqual([["n1"], ["n2", "n3", "n4", "n5"]]);
  });

  it("closed round nobody or everybody parts nobody", () => {
    expect(lassoGroups(circle(5, 5, 4), ids(5), layout.places)).toBeNull();
    expect(lassoGroups(circle(450, 280, 2_000), ids(5), layout.places)).toBeNull();
  });

  it("open across links names those links", () => {
    const a = place("n1");
    const b = place("n2");
    const middle = at((a.x + b.x) / 2, (a.y + b.y) / 2);
    const across = [at(middle.x + 20, middle.y - 30), at(middle.x - 4, middle.y + 6)];
    expect(crossedLinks(across, pairsOf(ids(5)), layout.places)).toEqual([{ a: "n1", b: "n2" }]);
  });

  it("that touches no link names none", () => {
    expect(crossedLinks([at(1, 1), at(20, 1)], pairsOf(ids(5)), layout.places)).toEqual([]);
  });
});

describe("arithmetic", () => {
  it("segments cross or do not", () => {
    expect(segmentsCross(at(0, 0), at(10, 10), at(0, 10), at(10, 0))).toBe(true);
    expect(segmentsCross(at(0, 0), at(10, 0), at(0, 1), at(10, 1))).toBe(false);
    expect(segmentsCross(at(0, 0), at(1, 1), at(5, 5), at(9, 5))).toBe(false);
  });
  it("a point is inside a polygon or not", () => {
    const square = [at(0, 0), at(10, 0), at(10, 10), at(0, 10)];
    expect(insidePolygon(at(5, 5), square)).toBe(true);
    expect(insidePolygon(at(15, 5), square)).toBe(false);
  });
  it("pairs are each named once", () => {
    expect(pairsOf(ids(9))).toHaveLength(36);
  });
});
