import { describe, expect, it } from "vitest";
import { ETCDCTL, GET, TXN_REQUESTS } from "../tree.ts";
import { COMMANDS } from "../commands/index.ts";
import { type CommandSpec, localFlags, nameOf, resolve } from "./command.ts";
import { flag, parseFlags } from "./flags.ts";
import { align, plainUsage, usage } from "./usage.ts";

const FLAGS = [
  flag("bool", "prefix", ""),
  flag("bool", "listen", "", "", "l"),
  flag("int64", "limit", ""),
  flag("string", "write-out", "", "simple", "w"),
  flag("stringSlice", "endpoints", "", "[127.0.0.1:2379]"),
];

describe("flags", () => {
  it("stand anywhere, the last one counts, and -- ends them", () => {
    expect(parseFlags(FLAGS, ["a", "--limit=1", "-wjson", "-l", "--limit", "2", "--", "--prefix"])).toMatchObject({
      values: { limit: 2, "write-out": "json", listen: true, prefix: false },
      words: ["a", "--prefix"],
    });
  });

  it("a list that is given again grows, and its first value replaces the default", () => {
    expect(parseFlags(FLAGS, [])).toMatchObject({ values: { endpoints: ["127.0.0.1:2379"] } });
    expect(parseFlags(FLAGS, ["--endpoints=a,b", '--endpoints="c,d"'])).toMatchObject({
      values: { endpoints: ["a", "b", "c,d"] },
    });
    expect(parseFlags(FLAGS, ["--endpoints="])).toMatchObject({ values: { endpoints: [] } });
  });

  it("each mistake has pflag's words", () => {
    const error = (...args: string[]) => (parseFlags(FLAGS, args) as { readonly error?: string }).error;
    expect(error("--frob")).toBe("unknown flag: --frob");
    expect(error("-lz")).toBe("unknown shorthand flag: 'z' in -z");
    expect(error("--limit")).toBe("flag needs an argument: --limit");
    expect(error("-w")).toBe("flag needs an argument: 'w' in -w");
    expect(error("--prefix=maybe")).toBe(
      'invalid argument "maybe" for "--prefix" flag: strconv.ParseBool: parsing "maybe": invalid syntax',
    );
    expect(error("-l=x")).toContain('for "-l, --listen" flag');
    expect(error("--=x")).toBe("bad flag syntax: --=x");
  });
});

describe("commands", () => {
  const named = (...args: string[]) => {
    const found = resolve(ETCDCTL, args);
    return found.type === "run" ? found.path.map(nameOf).join(" ") : found.type;
  };

  it("a beginning that only one has is enough, an exact name wins", () => {
    expect(named("g", "a")).toBe("etcdctl get");
    expect(named("mem", "li")).toBe("etcdctl member list");
    expect(named("user", "add", "x")).toBe("etcdctl user add");
    expect(named("m", "list")).toBe("unknown");
  });

  it("a flag that is not known where it stands hides the next word", () => {
    expect(resolve(ETCDCTL, ["--prefix", "get", "a"])).toMatchObject({
      error: expect.stringMatching(/^unknown command "a" for "etcdctl"/),
    });
    expect(named("-w", "get", "put", "a", "b")).toBe("etcdctl put");
  });

  it("guesses go by letters that differ, and by how a name begins, letter case aside", () => {
    expect(resolve(ETCDCTL, ["PUT"])).toMatchObject({
      error: 'unknown command "PUT" for "etcdctl"\n\nDid you mean this?\n\tget\n\tput\n\tauth\n',
    });
  });

  it("a family shows its usage, whatever follows", () => {
    expect(named("lease", "frob")).toBe("help");
    expect(named("lease")).toBe("help");
  });

  it("each command that can be run has a program, and each program a command", () => {
    const names = (of: CommandSpec, above: string): string[] => [
      ...(of.runnable ? [`${above}${nameOf(of)}`] : []),
      ...of.commands.flatMap((one) => names(one, `${above}${nameOf(of)} `)),
    ];
    const all = ETCDCTL.commands.flatMap((of) => names(of, "")).filter((name) => name !== "help");
    expect(Object.keys(COMMANDS).sort()).toEqual(all.sort());
  });
});

describe("usage", () => {
  it("cells of neighbouring lines share a column, up to the next stop of eight", () => {
    expect(align("a\tx\nlong enough\ty\n\n\tb\tz\n")).toBe("a\t\tx\nlong enough\ty\n\n\tb\tz\n");
  });

  it("the flags that a command inherits are global options", () => {
    const text = usage([ETCDCTL, GET]);
    expect(text).toMatch(/^NAME:\n\tget - Gets the key or a range of keys\n\nUSAGE:\n\tetcdctl get \[options\]/);
    expect(text).toContain("\n      --limit=0\t\t\t\tMaximum number of results\n");
    expect(text).toContain('\nGLOBAL OPTIONS:\n      --cacert=""\t\t\t\tverify');
    expect(localFlags([ETCDCTL, GET]).map(({ name }) => name)).toContain("help");
  });

  it("requests of a transaction show cobra's own", () => {
    expect(plainUsage([TXN_REQUESTS, GET])).toContain(
      '      --consistency string   Linearizable(l) or Serializable(s) (default "l")\n',
    );
  });
});
