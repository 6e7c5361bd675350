import { describe, expect, it } from "vitest";
import { Bench } from "../testing.ts";

/** k0 … k9; the later a key the lower its value; k3 and k7 changed last. */
function ten(): Bench {
  const bench = new Bench();
  for (let i = 0; i < 10; i += 1) bench.put(`k${i}`, String(9 - i));
  bench.put("k7", "x");
  bench.put("k3", "y");
  return bench;
}
const bench = ten();
const keys = (more: Parameters<Bench["get"]>[1]) => bench.get("k", { rangeEnd: "l", ...more });
const names = (more: Parameters<Bench["get"]>[1]) =>
  keys(more)
    .kvs.map(({ key }) => key.slice(1))
    .join("");

describe("count and more", () => {
  it("count is of the span, before limit and filters", () => {
    expect(keys({ limit: 3 })).toMatchObject({ count: 10, more: true });
    expect(keys({ minModRevision: 12 })).toMatchObject({ count: 10, more: false });
  });

  it("more looks at what is left after the filters", () => {
    expect(keys({ limit: 2, minModRevision: 12 }).more).toBe(false);
    expect(keys({ limit: 1, minModRevision: 12 }).more).toBe(true);
  });

  it("a limit of exactly as many is not more; a negative one is none", () => {
    expect(keys({ limit: 10 }).more).toBe(false);
    expect(keys({ limit: -1 }).kvs).toHaveLength(10);
  });

  it("count only has neither rows nor more, keys only all but values", () => {
    expect(keys({ limit: 1, countOnly: true })).toMatchObject({ kvs: [], more: false, count: 10 });
    expect(keys({ limit: 1, keysOnly: true }).kvs).toMatchObject([{ key: "k0", value: "", version: 1 }]);
    expect(keys({ limit: 1 }).kvs).toMatchObject([{ value: "9" }]);
  });
});

describe("order", () => {
  it("a target other than the key sorts upwards without an order, but the limit has cut in the order of keys by then", () => {
    expect(names({ sortTarget: "VALUE", limit: 3 })).toBe("210");
    expect(names({ sortTarget: "MOD" })).toBe("0124568973");
  });

  it("with an order the limit cuts behind the sorting", () => {
    expect(names({ sortTarget: "VALUE", sortOrder: "ASCEND", limit: 3 })).toBe("986");
    expect(names({ sortTarget: "MOD", sortOrder: "DESCEND", limit: 2 })).toBe("37");
    expect(names({ sortOrder: "DESCEND", limit: 2 })).toBe("98");
  });

  it("with a filter it does too", () => {
    expect(names({ sortTarget: "VALUE", maxCreateRevision: 100, limit: 3 })).toBe("986");
  });

  it("ties stay in the order of keys, upwards and downwards", () => {
    expect(names({ sortTarget: "VERSION", sortOrder: "ASCEND" })).toBe("0124568937");
    expect(names({ sortTarget: "VERSION", sortOrder: "DESCEND" })).toBe("3701245689");
  });

  it("an order that is none sorts nothing, and cuts behind the whole", () => {
    expect(names({ sortTarget: "MOD", sortOrder: "UNRECOGNIZED", limit: 3 })).toBe("012");
  });
});

describe("filters", () => {
  it("are inclusive at both ends, and 0 is none", () => {
    expect(names({ minModRevision: 11, maxModRevision: 12 })).toBe("79");
    expect(names({ minCreateRevision: 4, maxCreateRevision: 5 })).toBe("23");
    expect(names({ minModRevision: 0, maxModRevision: 0 })).toBe("0123456789");
  });
});
