import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { committedIndex, jointCommittedIndex, voteResult } from "./quorum.ts";
import { N1, N2, N3 } from "./testing.ts";

describe("a majority", () => {
  it("§5.3: holds the committed index, and no majority holds a larger one", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20), { minLength: 1, maxLength: 9 }), (matches) => {
        const index = committedIndex(matches.map((match) => ({ match })));
        const holding = (at: number): number => matches.filter((match) => match >= at).length;
        expect(holding(index)).toBeGreaterThan(matches.length / 2);
        expect(holding(index + 1)).toBeLessThanOrEqual(matches.length / 2);
      }),
    );
  });

  it("thesis §4.3: of each half is needed; an empty half agrees with everything", () => {
    expect(jointCommittedIndex([{ match: 5 }], [{ match: 3 }])).toBe(3);
    expect(jointCommittedIndex([{ match: 5 }], [])).toBe(5);
    expect(committedIndex([])).toBe(Number.POSITIVE_INFINITY);
  });

  it("§5.2: is lost as soon as it can't come about any more", () => {
    expect(voteResult([N1, N2, N3], new Map([[N1, false]]))).toBe("pending");
    expect(
      voteResult(
        [N1, N2, N3],
        new Map([
          [N1, false],
          [N2, false],
        ]),
      ),
    ).toBe("lost");
    expect(
      voteResult(
        [N1, N2, N3],
        new Map([
          [N1, true],
          [N2, true],
        ]),
      ),
    ).toBe("won");
  });
});
