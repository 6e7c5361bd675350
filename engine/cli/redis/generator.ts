/**
 * Random programs for Redis: steps that any server must answer alike. Every command of the page's server is among them,
 * with right and wrong arguments, beside scripts, transactions, expiry and subscriptions.
 */
import { type Rng, rngFor } from "../../base/rng.ts";
import { luaScript } from "./lua-generator.ts";

export type Step =
  | { readonly op: "cmd"; readonly conn: "A" | "B"; readonly args: readonly string[] }
  | { readonly op: "sleep"; readonly ms: number };

const STEPS = 60;
const KEYS = ["a", "b", "lock", "list", "list2", "hash", "set", "set2", "zset", "zset2", "n", "none"];
const VALUES = [
  "",
  "x",
  "hello",
  "0",
  "1",
  "-7",
  "42",
  "3.5",
  "1e3",
  "007",
  " 1",
  "9223372036854775807",
  "-9223372036854775808",
  "10.25",
  "token-A",
  "naïve",
  "\0\xff",
  "9007199254740993",
  "inf",
  "nan",
  "+5",
  "-0",
];
const NUMBERS = [
  "0",
  "1",
  "2",
  "-1",
  "-2",
  "3",
  "10",
  "-100",
  "100",
  "x",
  "",
  "1.5",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775808",
];
const SCORES = [
  "1",
  "2",
  "3",
  "2.5",
  "-1",
  "inf",
  "-inf",
  "0.1",
  "1e10",
  "x",
  "1e-5",
  "3.3333333333",
  "123456789012345680",
  "nan",
];
const BOUNDS = ["-inf", "+inf", "(1", "1", "2", "(2.5", "3", "x", "(x", "100"];
const LEX = ["-", "+", "[a", "(a", "[m2", "(m3", "x", "[", "("];
const MEMBERS = ["m1", "m2", "m3", "1", "2", "3", "10", "-5", "x", ""];
const FIELDS = ["owner", "count", "f1", "f2"];
/** Far enough that no answer depends on how fast the real server is. */
const TIMES = [
  "100",
  "1000",
  "100000",
  "0",
  "-1",
  "x",
  "9223372036854775807",
  "9223372036854776",
  "-9223372036854775808",
  "1.5",
];
const INSTANTS = ["4102444800", "1", "0", "-1", "x", "9223372036854775807"];
const INSTANTS_MS = ["4102444800000", "1000", "0", "-1", "x", "9223372036854775807"];
const CONDITIONS = ["NX", "XX", "GT", "LT", "nx", "what"];
const PATTERNS = ["*", "l*", "?", "[a-b]", "[^a]*", "*s*t*", "\\*", "list?", "[", "h[a", "", "**", "none"];

export class Generator {
  readonly #rng: Rng;

  constructor(seed: number) {
    this.#rng = rngFor(seed, "redis-live");
  }

  program(): Step[] {
    const steps: Step[] = [];
    const withTime = this.#rng.below(8) === 0;
    for (let i = 0; i < STEPS; i += 1) {
      const conn = this.#rng.below(4) === 0 ? "B" : "A";
      const kind = this.#rng.below(100);
      if (withTime && kind < 15) {
        const px = this.pick(["300", "320", "50000"]);
        steps.push({
          op: "cmd",
          conn,
          args: this.pick([
            ["SET", this.key(), "t", "PX", px],
            ["PEXPIRE", this.key(), px],
            ["PSETEX", this.key(), px, "t"],
            ["WATCH", this.key()],
          ]),
        });
      } else if (withTime && kind < 20) steps.push({ op: "sleep", ms: 900 });
      else if (kind < 32) steps.push({ op: "cmd", conn, args: this.setUp() });
      else if (kind < 42) steps.push({ op: "cmd", conn, args: this.script() });
      else if (kind < 48) steps.push({ op: "cmd", conn, args: this.transaction() });
      else steps.push({ op: "cmd", conn, args: this.#bent(this.command()) });
    }
    return steps;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.#rng.below(list.length)] as T;
  }
  key(): string {
    return this.pick(KEYS);
  }
  some<T>(most: number, make: () => T): T[] {
    return Array.from({ length: 1 + this.#rng.below(most) }, make);
  }
  maybe(...words: readonly string[]): string[] {
    return this.#rng.below(3) === 0 ? [...words] : [];
  }

  /** Now and then a word too few or too many, or another case. */
  #bent(args: string[]): string[] {
    const kind = this.#rng.below(30);
    // Fewer words would leave it to chance what is taken, and for how long is waited.
    if (/^(SPOP|SRANDMEMBER|SCAN|B[LR])/.test(args[0] ?? "")) return args;
    if (kind === 0 && args.length > 1) return args.slice(0, -1);
    if (kind === 1) return [...args, this.pick(VALUES)];
    if (kind === 2) return [(args[0] ?? "").toLowerCase(), ...args.slice(1)];
    if (kind === 3) return [this.pick(["NOSUCH", "nosuch", "GETT"]), ...args.slice(1)];
    return args;
  }

  /** Fills keys of each kind, so that what follows finds something. */
  setUp(): string[] {
    return this.pick([
      () => ["SET", this.pick(["a", "b", "lock", "n"]), this.pick(VALUES)],
      () => ["RPUSH", this.pick(["list", "list2"]), ...this.some(4, () => this.pick(MEMBERS))],
      () => ["HSET", "hash", ...this.some(3, () => [this.pick(FIELDS), this.pick(VALUES)]).flat()],
      () => ["SADD", this.pick(["set", "set2"]), ...this.some(4, () => this.pick(MEMBERS))],
      () => [
        "ZADD",
        this.pick(["zset", "zset2"]),
        ...this.some(4, () => [this.pick(["1", "2", "2.5", "-3"]), this.pick(MEMBERS)]).flat(),
      ],
    ])();
  }

  transaction(): string[] {
    return this.pick([
      ["MULTI"],
      ["MULTI"],
      ["EXEC"],
      ["EXEC"],
      ["DISCARD"],
      ["WATCH", this.key(), ...this.maybe(this.key())],
      ["UNWATCH"],
      ["EXEC", "x"],
    ]);
  }

  script(): string[] {
    const keys = this.some(2, () => this.key());
    const args = this.some(2, () => this.pick(VALUES));
    return ["EVAL", luaScript(this), String(keys.length), ...keys, ...args];
  }

  command(): string[] {
    return this.pick(COMMAND_MAKERS)(this);
  }

  readonly value = (): string => this.pick(VALUES);
  readonly number = (): string => this.pick(NUMBERS);
  readonly score = (): string => this.pick(SCORES);
  readonly bound = (): string => this.pick(BOUNDS);
  readonly lex = (): string => this.pick(LEX);
  readonly member = (): string => this.pick(MEMBERS);
  readonly field = (): string => this.pick(FIELDS);
  readonly time = (): string => this.pick(TIMES);
  readonly pattern = (): string => this.pick(PATTERNS);
}

type Make = (g: Generator) => string[];

const setOption: Make = (g) =>
  g.pick([
    ["NX"],
    ["XX"],
    ["GET"],
    ["KEEPTTL"],
    ["EX", g.time()],
    ["PX", g.time()],
    ["EXAT", g.pick(INSTANTS)],
    ["PXAT", g.pick(INSTANTS_MS)],
    ["EX"],
    ["nx"],
    ["zz"],
  ]);

const COMMAND_MAKERS: readonly Make[] = [
  (g) => ["GET", g.key()],
  (g) => [
    "SET",
    g.key(),
    g.value(),
    ...(g.maybe("y").length > 0 ? g.some(3, () => setOption(g)).flat() : setOption(g)),
  ],
  (g) => ["SET", g.key(), g.value()],
  (g) => ["SETNX", g.key(), g.value()],
  (g) => ["SETEX", g.key(), g.time(), g.value()],
  (g) => ["PSETEX", g.key(), g.time(), g.value()],
  (g) => ["GETSET", g.key(), g.value()],
  (g) => ["GETDEL", g.key()],
  (g) => [
    "GETEX",
    g.key(),
    ...g.maybe(
      ...g.pick([
        ["PERSIST"],
        ["EX", g.time()],
        ["PX", g.time()],
        ["EXAT", g.pick(INSTANTS)],
        ["PXAT", g.pick(INSTANTS_MS)],
        ["EX"],
        ["zz"],
        ["NX"],
      ]),
    ),
  ],
  (g) => ["MGET", ...g.some(4, () => g.key())],
  (g) => ["MSET", ...g.some(3, () => [g.key(), g.value()]).flat()],
  (g) => ["MSETNX", ...g.some(2, () => [g.key(), g.value()]).flat()],
  (g) => ["APPEND", g.key(), g.value()],
  (g) => ["STRLEN", g.key()],
  (g) => ["SETRANGE", g.key(), g.pick(["0", "1", "3", "6", "-1", "x"]), g.value()],
  (g) => ["GETRANGE", g.key(), g.number(), g.number()],
  (g) => [g.pick(["INCR", "DECR"]), g.key()],
  (g) => [g.pick(["INCRBY", "DECRBY"]), g.key(), g.number()],
  (g) => [
    "INCRBYFLOAT",
    g.key(),
    g.pick(["0.1", "1", "-2.5", "1e2", "x", "3.0", "inf", "0.000000000000001", " 1", "", "1e-20", "100.1"]),
  ],
  (g) => [g.pick(["DEL", "UNLINK", "EXISTS", "TOUCH"]), ...g.some(3, () => g.key())],
  (g) => [
    g.pick(["EXPIRE", "PEXPIRE"]),
    g.key(),
    g.time(),
    ...g.maybe(g.pick(CONDITIONS), ...g.maybe(g.pick(CONDITIONS))),
  ],
  (g) => ["EXPIREAT", g.key(), g.pick(INSTANTS), ...g.maybe(g.pick(CONDITIONS))],
  (g) => ["PEXPIREAT", g.key(), g.pick(INSTANTS_MS), ...g.maybe(g.pick(CONDITIONS))],
  (g) => [g.pick(["PERSIST", "TTL", "TYPE"]), g.key()],
  (g) => [g.pick(["TTL", "PTTL"]), g.key()],
  (g) => ["KEYS", g.pattern()],
  (g) => [
    "SCAN",
    "0",
    "COUNT",
    "100",
    ...g.maybe("MATCH", g.pattern()),
    ...g.maybe("TYPE", g.pick(["string", "hash", "list", "zset", "what"])),
  ],
  (g) => ["SCAN", g.pick(["0", "x"]), "COUNT", "100", ...g.maybe("zz")],
  (g) => [g.pick(["RENAME", "RENAMENX"]), g.key(), g.key()],
  (g) => ["COPY", g.key(), g.key(), ...g.maybe("REPLACE"), ...g.maybe("DB", g.pick(["0", "1", "99", "x"]))],
  () => ["DBSIZE"],
  (g) => ["OBJECT", "ENCODING", g.key()],
  (g) => ["PING", ...g.maybe(g.value())],
  (g) => ["ECHO", g.value()],
  (g) => ["SELECT", g.pick(["0", "0", "0", "x", "16", "-1"])],
  (g) => [g.pick(["FLUSHALL", "FLUSHDB"]), ...g.maybe(g.pick(["SYNC", "ASYNC", "zz"]))],
  (g) => [g.pick(["HSET", "HMSET"]), g.key(), ...g.some(3, () => [g.field(), g.value()]).flat()],
  (g) => ["HSETNX", g.pick(["hash", g.key()]), g.field(), g.value()],
  (g) => [g.pick(["HGET", "HEXISTS", "HSTRLEN"]), g.pick(["hash", g.key()]), g.field()],
  (g) => [g.pick(["HDEL", "HMGET"]), g.pick(["hash", g.key()]), ...g.some(3, g.field)],
  (g) => [g.pick(["HGETALL", "HKEYS", "HVALS", "HLEN"]), g.pick(["hash", g.key()])],
  (g) => ["HINCRBY", g.pick(["hash", g.key()]), g.field(), g.number()],
  (g) => ["HINCRBYFLOAT", g.pick(["hash", g.key()]), g.field(), g.pick(["0.5", "1", "-1.25", "x", "inf"])],
  (g) => ["HSCAN", g.pick(["hash", g.key()]), "0", ...g.maybe("MATCH", g.pattern())],
  (g) => [g.pick(["LPUSH", "RPUSH", "LPUSHX", "RPUSHX"]), g.pick(["list", g.key()]), ...g.some(3, g.member)],
  (g) => [g.pick(["LPOP", "RPOP"]), g.pick(["list", g.key()]), ...g.maybe(g.number())],
  (g) => ["LLEN", g.pick(["list", g.key()])],
  (g) => [g.pick(["LRANGE", "LTRIM"]), g.pick(["list", g.key()]), g.number(), g.number()],
  (g) => ["LREM", g.pick(["list", g.key()]), g.pick(["0", "1", "-1", "2", "-2", "x"]), g.member()],
  (g) => ["LINDEX", g.pick(["list", g.key()]), g.number()],
  (g) => ["LSET", g.pick(["list", g.key()]), g.number(), g.member()],
  (g) => ["LINSERT", g.pick(["list", g.key()]), g.pick(["BEFORE", "AFTER", "after", "x"]), g.member(), g.member()],
  (g) => [
    "LPOS",
    g.pick(["list", g.key()]),
    g.member(),
    ...g.maybe("RANK", g.number()),
    ...g.maybe("COUNT", g.number()),
    ...g.maybe("MAXLEN", g.number()),
  ],
  (g) => ["RPOPLPUSH", g.pick(["list", g.key()]), g.pick(["list2", g.key()])],
  (g) => [
    "LMOVE",
    g.pick(["list", g.key()]),
    g.pick(["list2", g.key()]),
    g.pick(["LEFT", "RIGHT", "x"]),
    g.pick(["LEFT", "right"]),
  ],
  (g) => [g.pick(["BLPOP", "BRPOP"]), "list", "list2", "a", g.pick(["0.02", "x", "-1"])],
  () => ["BLMOVE", "list", "list2", "LEFT", "RIGHT", "0.02"],
  (g) => [g.pick(["SADD", "SREM", "SMISMEMBER"]), g.pick(["set", g.key()]), ...g.some(3, g.member)],
  (g) => [g.pick(["SMEMBERS", "SCARD"]), g.pick(["set", g.key()])],
  (g) => ["SISMEMBER", g.pick(["set", g.key()]), g.member()],
  (g) => ["SMOVE", g.pick(["set", g.key()]), g.pick(["set2", g.key()]), g.member()],
  (g) => ["SPOP", g.pick(["set", g.key()]), g.pick(["100", "0", "-1", "x"])],
  (g) => ["SRANDMEMBER", g.pick(["set", g.key()]), g.pick(["100", "0", "x"])],
  (g) => [g.pick(["SINTER", "SUNION", "SDIFF"]), ...g.some(3, () => g.pick(["set", "set2", "none", g.key()]))],
  (g) => [
    g.pick(["SINTERSTORE", "SUNIONSTORE", "SDIFFSTORE"]),
    g.key(),
    ...g.some(3, () => g.pick(["set", "set2", "none", g.key()])),
  ],
  (g) => ["SINTERCARD", g.pick(["1", "2", "0", "x", "3"]), "set", "set2", ...g.maybe("LIMIT", g.number())],
  (g) => [
    "ZADD",
    g.pick(["zset", g.key()]),
    ...g.maybe(g.pick(["NX", "XX", "GT", "LT", "CH", "INCR"])),
    ...g.maybe(g.pick(["CH", "XX", "NX", "INCR", "GT"])),
    ...g.some(3, () => [g.score(), g.member()]).flat(),
  ],
  (g) => ["ZINCRBY", g.pick(["zset", g.key()]), g.score(), g.member()],
  (g) => [g.pick(["ZREM", "ZMSCORE"]), g.pick(["zset", g.key()]), ...g.some(3, g.member)],
  (g) => [g.pick(["ZSCORE", "ZRANK", "ZREVRANK"]), g.pick(["zset", g.key()]), g.member()],
  (g) => ["ZCARD", g.pick(["zset", g.key()])],
  (g) => ["ZCOUNT", g.pick(["zset", g.key()]), g.bound(), g.bound()],
  (g) => [
    "ZRANGE",
    g.pick(["zset", g.key()]),
    g.number(),
    g.number(),
    ...g.maybe("WITHSCORES"),
    ...g.maybe("REV"),
    ...g.maybe("LIMIT", "0", "1"),
  ],
  (g) => [
    "ZRANGE",
    g.pick(["zset", g.key()]),
    g.bound(),
    g.bound(),
    "BYSCORE",
    ...g.maybe("REV"),
    ...g.maybe("LIMIT", g.number(), g.number()),
    ...g.maybe("WITHSCORES"),
  ],
  (g) => ["ZRANGE", g.pick(["zset", g.key()]), g.lex(), g.lex(), "BYLEX", ...g.maybe("REV"), ...g.maybe("WITHSCORES")],
  (g) => ["ZREVRANGE", g.pick(["zset", g.key()]), g.number(), g.number(), ...g.maybe("WITHSCORES")],
  (g) => [
    g.pick(["ZRANGEBYSCORE", "ZREVRANGEBYSCORE"]),
    g.pick(["zset", g.key()]),
    g.bound(),
    g.bound(),
    ...g.maybe("WITHSCORES"),
    ...g.maybe("LIMIT", g.number(), g.number()),
    ...g.maybe("zz"),
  ],
  (g) => ["ZRANGEBYLEX", g.pick(["zset", g.key()]), g.lex(), g.lex()],
  (g) => ["ZREMRANGEBYSCORE", g.pick(["zset", g.key()]), g.bound(), g.bound()],
  (g) => ["ZREMRANGEBYRANK", g.pick(["zset", g.key()]), g.number(), g.number()],
  (g) => [g.pick(["ZPOPMIN", "ZPOPMAX"]), g.pick(["zset", g.key()]), ...g.maybe(g.number())],
  (g) => ["ZSCAN", g.pick(["zset", g.key()]), "0"],
  (g) => ["ZLEXCOUNT", g.pick(["zset", g.key()]), g.lex(), g.lex()],
  (g) => ["ZREVRANGEBYLEX", g.pick(["zset", g.key()]), g.lex(), g.lex(), ...g.maybe("LIMIT", g.number(), g.number())],
  (g) => ["ZREMRANGEBYLEX", g.pick(["zset", g.key()]), g.lex(), g.lex()],
  (g) => ["ZRANGESTORE", g.key(), g.pick(["zset", g.key()]), g.number(), g.number(), ...g.maybe("REV")],
  (g) => [
    "ZRANGESTORE",
    g.key(),
    g.pick(["zset", g.key()]),
    g.bound(),
    g.bound(),
    "BYSCORE",
    ...g.maybe("LIMIT", g.number(), g.number()),
    ...g.maybe("WITHSCORES"),
  ],
  (g) => [
    g.pick(["ZUNION", "ZINTER", "ZDIFF"]),
    g.pick(["1", "2", "2", "3", "0", "x"]),
    g.pick(["zset", g.key()]),
    g.pick(["zset2", "set", g.key()]),
    ...g.maybe("WITHSCORES"),
    ...g.maybe("WEIGHTS", g.score(), g.score()),
    ...g.maybe("AGGREGATE", g.pick(["MIN", "max", "SUM", "x"])),
  ],
  (g) => [
    g.pick(["ZUNIONSTORE", "ZINTERSTORE", "ZDIFFSTORE"]),
    g.key(),
    g.pick(["1", "2", "2", "3", "0", "x"]),
    g.pick(["zset", g.key()]),
    g.pick(["zset2", "set", g.key()]),
    ...g.maybe("WEIGHTS", g.pick(["2", "0.5", "x", "-1"]), g.pick(["1", "3"])),
    ...g.maybe("AGGREGATE", g.pick(["MIN", "max", "SUM", "x"])),
  ],
  (g) => ["ZINTERCARD", g.pick(["1", "2", "0", "x", "3"]), "zset", "zset2", ...g.maybe("LIMIT", g.number())],
  (g) => ["ZRANDMEMBER", g.key(), g.pick(["0", "x"])],
  (g) => [
    "ZMPOP",
    g.pick(["1", "2", "0", "x"]),
    "zset",
    "zset2",
    g.pick(["MIN", "max", "x"]),
    ...g.maybe("COUNT", g.number()),
  ],
  (g) => [
    "LMPOP",
    g.pick(["1", "2", "0", "x"]),
    "list",
    g.pick(["list2", g.key()]),
    g.pick(["LEFT", "right", "x"]),
    ...g.maybe("COUNT", g.number()),
  ],
  (g) => [g.pick(["BZPOPMIN", "BZPOPMAX"]), "zset", "zset2", g.pick(["0.02", "x", "-1"])],
  (g) => [
    "SETBIT",
    g.pick(["a", "b", g.key()]),
    g.pick(["0", "7", "8", "20", "-1", "x", "4294967296"]),
    g.pick(["0", "1", "2"]),
  ],
  (g) => ["GETBIT", g.pick(["a", "b", g.key()]), g.pick(["0", "1", "7", "8", "100", "-1", "x"])],
  (g) => [
    "BITCOUNT",
    g.pick(["a", "b", g.key()]),
    ...g.maybe(g.number(), g.number(), ...g.maybe(g.pick(["BYTE", "bit", "x"]))),
  ],
  (g) => [
    "BITPOS",
    g.pick(["a", "b", g.key()]),
    g.pick(["0", "1", "2"]),
    ...g.maybe(g.number(), ...g.maybe(g.number(), ...g.maybe(g.pick(["BYTE", "bit", "x"])))),
  ],
  (g) => ["BITOP", g.pick(["AND", "or", "XOR", "NOT", "x"]), g.key(), g.key(), ...g.maybe(g.key())],
  (g) => ["AUTH", ...g.pick([["x"], ["default", "x"], ["bob", "x"], ["a", "b", "c"]])],
  (g) => [
    "CLIENT",
    ...g.pick([
      ["KILL", "ID", "99999"],
      ["KILL", "ID", "x"],
      ["KILL", "1.2.3.4:5"],
      ["UNBLOCK", "99999"],
    ]),
  ],
  (g) => ["PUBLISH", g.pick(["news", "lock:released"]), g.value()],
  (g) => ["PUBSUB", g.pick(["CHANNELS", "NUMPAT", "zz"])],
  (g) => ["CONFIG", "GET", g.pick(["hz", "notify-keyspace-events", "appendonly", "appendfsync", "nosuch", "HZ"])],
  (g) => [
    "CONFIG",
    "SET",
    ...g.pick([
      ["nosuch", "1"],
      ["appendfsync", "x"],
      ["appendfsync", "everysec"],
      ["notify-keyspace-events", "KEAZ"],
      ["notify-keyspace-events", "KEA"],
      ["hz", "x"],
      ["databases", "3"],
      ["repl-timeout", "0"],
      ["hz", "10"],
    ]),
  ],
  (g) => [
    "SCRIPT",
    ...g.pick([["EXISTS", "abc"], ["LOAD", "return 1"], ["LOAD", "return +"], ["FLUSH", "zz"], ["zz"], ["LOAD"]]),
  ],
  (g) => [
    "EVALSHA",
    g.pick(["e0e1f9fabfc9d4800c877a703b823ac0578ff8db", "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB", "abc"]),
    g.pick(["0", "1", "x", "-1"]),
  ],
  (g) => [
    "EVAL",
    g.pick(["return 1", "return KEYS", "return ARGV"]),
    g.pick(["0", "1", "2", "9", "x", "-1", "1.5"]),
    ...g.maybe("k1", "v1"),
  ],
  (g) => ["CLIENT", ...g.pick([["GETNAME"], ["SETNAME", "me"], ["SETNAME", "a b"], ["zz"]])],
  (g) => ["WAIT", "0", g.pick(["10", "x", "-1"])],
  () => ["DEBUG", "zz"],
  (g) => ["RESET", ...g.maybe("x")],
  () => ["ROLE"],
];
