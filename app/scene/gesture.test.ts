import { describe, expect, it } from "vitest";
import type { ProcessId } from "../../engine/index.ts";
import { layoutStage, type Point } from "./geometry.ts";
import { commandOf, linksOf, meaningOf } from "./gesture.ts";

const members = ["n1", "n2", "n3"] as ProcessId[];
const { places } = layoutStage(members, [], 900, 560);
const place = (id: string): Point => places.get(id) ?? { x: 0, y: 0 };

function across(a: string, b: string): Point[] {
  const [p, q] = [place(a), place(b)];
  const middle = { x: (p.x + q.x) / 2, y: (p.y + q.y) / 2 };
  const [dx, dy] = [(q.y - p.y) / 12, (p.x - q.x) / 12];
  return [
    { x: middle.x - dx, y: middle.y - dy },
    { x: middle.x + dx, y: middle.y + dy },
  ];
}

describe("a gesture", () => {
  it("across an open link cuts it both ways", () => {
    const meaning = meaningOf(across("n1", "n2"), members, places, new Set());
    expect(commandOf(meaning)).toEqual({
      type: "cut",
      links: [
        { from: "n1", to: "n2" },
        { from: "n2", to: "n1" },
      ],
    });
  });
  it("across a link that is cut mends it, and across one cut one way cuts the rest", () => {
    expect(meaningOf(across("n1", "n2"), members, places, new Set(["n1>n2", "n2>n1"])).is).toBe("mend");
    expect(meaningOf(across("n1", "n2"), members, places, new Set(["n1>n2"])).is).toBe("cut");
  });
  it("over nothing does nothing", () => {
    expect(
      commandOf(
        meaningOf(
          [
            { x: 0, y: 0 },
            { x: 9, y: 0 },
          ],
          members,
          places,
          new Set(),
        ),
      ),
    ).toBeNull();
  });
  it("round a member splits it off", () => {
    const { x, y } = place("n2");
    const loop = Array.from({ length: 30 }, (_, i) => ({
      x: x + 70 * Math.cos((i / 29) * 2 * Math.PI),
      y: y + 70 * Math.sin((i / 29) * 2 * Math.PI),
    }));
    expect(commandOf(meaningOf(loop, members, places, new Set()))).toEqual({
      type: "partition",
      groups: [["n2"], ["n1", "n3"]],
    });
  });
  it("a member's links are all directions to the others", () => {
    expect(linksOf("n1" as ProcessId, members)).toHaveLength(4);
  });
});
