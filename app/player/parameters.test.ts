import * as fc from "fast-check";
import { expect, it } from "vitest";
import { DEFAULT_CONFIG } from "../../engine/index.ts";
import { readParameters } from "./parameters.ts";
import { isLink, specOf } from "./start.ts";

it("reads what validates", () => {
  const search = "?members=3&timing=etcd&seed=42&speed=0.01&lang=zh-CN&theme=dark&autoplay=0";
  expect(readParameters(search)).toStrictEqual({
    values: { members: 3, timing: "etcd", seed: 42, speed: 0.01, lang: "zh-CN", theme: "dark", autoplay: false },
    problems: [],
  });
  expect(readParameters("?speed=max").values.speed).toBe("max");
});

it("ignores what it does not know, and takes defaults for what is not said", () => {
  const { values, problems } = readParameters("?utm_source=x&__proto__=1&toString=2");
  expect({ values, problems }).toStrictEqual({ values: {}, problems: [] });
  expect(specOf(values, 7)).toStrictEqual({ seed: 7, config: DEFAULT_CONFIG });
});

it.each([
  ["members", "0"],
  ["members", "10"],
  ["members", "3.5"],
  ["members", "1e1"],
  ["members", ""],
  ["members", " 3"],
  ["seed", "-1"],
  ["seed", "9007199254740992"],
  ["seed", "0x10"],
  ["timing", "constructor"],
  ["speed", "2"],
  ["lang", "xx"],
  ["theme", "<script>"],
  ["autoplay", "yes"],
])("reports %s=%s and leaves it out of account", (name, value) => {
  const { values, problems } = readParameters(`?${new URLSearchParams({ [name]: value }).toString()}`);
  expect(values).toStrictEqual({});
  expect(problems).toStrictEqual([{ kind: "parameter", name, value }]);
});

it("no address makes it throw, and a problem repeats at most 40 characters of it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      for (const name of ["members", "speed", "lang"])
        for (const problem of readParameters(`?${name}=${text}`).problems)
          expect(problem.kind === "parameter" && problem.value.length).toBeLessThanOrEqual(40);
    }),
  );
});

it("only a fragment that means to be a link is taken for one", () => {
  expect(["#s=1.x", "#a=1&s=1.x", "#s="].map(isLink)).toStrictEqual([true, true, true]);
  expect(["", "#", "#chapter-2", "#ss=1"].map(isLink)).toStrictEqual([false, false, false, false]);
});
