import { describe, expect, it } from "vitest";
import {
  completions,
  EMPTY_HISTORY,
  entered,
  pasted,
  quoteWord,
  readLine,
  shownLine,
  splitWords,
  walked,
} from "./shell.ts";

describe("a typed line", () => {
  it("is split at spaces; quotes and backslashes keep words together", () => {
    expect(splitWords(`put 'a b' "c \\"d\\" \\n" e\\ f '' # note`)).toEqual(["put", "a b", 'c "d" \\n', "e f", ""]);
  });

  it("may have etcdctl and variables in front", () => {
    expect(readLine("ETCDCTL_API=3 etcdctl get a")).toEqual({
      type: "command",
      args: ["get", "a"],
      env: { ETCDCTL_API: "3" },
    });
    expect(readLine("get etcdctl")).toMatchObject({ args: ["get", "etcdctl"] });
    expect(readLine("  # nothing")).toEqual({ type: "empty" });
  });

  it("what only a shell could do is refused", () => {
    expect(readLine("echo x | put k")).toMatchObject({ type: "wrong" });
    expect(readLine("get 'a")).toMatchObject({ type: "wrong" });
    expect(readLine("get '$a'")).toMatchObject({ args: ["get", "$a"] });
  });

  it("any word comes back as it was quoted", () => {
    for (const word of ["a", "", "it's", 'say "hi"', "a\\b", "tab\there", "$x", "-w"])
      expect(splitWords(quoteWord(word))).toEqual([word]);
  });
});

it("lines that were pasted are typed one by one, the last stays", () => {
  expect(pasted("put a 1\r\nput b 2\nget")).toEqual({ lines: ["put a 1", "put b 2"], rest: "get" });
});

it("history goes up and down, and back to what was being typed", () => {
  const history = entered(entered(entered(EMPTY_HISTORY, "one"), "two"), "two");
  expect(history.lines).toEqual(["one", "two"]);
  const up = walked(history, -1, "dra");
  expect(shownLine(up)).toBe("two");
  expect(shownLine(walked(walked(up, -1, "two"), -1, "one"))).toBe("one");
  expect(shownLine(walked(up, 1, "two"))).toBe("dra");
});

it("Tab completes commands, those of a family, and flags", () => {
  expect(completions("me")).toEqual(["member"]);
  expect(completions("lease ")).toEqual(["grant", "keep-alive", "list", "revoke", "timetolive"]);
  expect(completions("get a --pr")).toEqual(["--prefix", "--print-value-only"]);
});
