import { describe, expect, it } from "vitest";
import { MS, SECOND } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import { acquireCommand, ACQUIRE_FENCED_SCRIPT, RELEASE_SCRIPT } from "./recipes.ts";
import { RedisWorld } from "./testing.ts";

describe("replication", () => {
  it("a write reaches the replica, which refuses writes of its own", () => {
    const world = new RedisWorld({ servers: ["a", "b"] });
    expect(world.value("a", "SET", "k", "v")).toBe("OK");
    expect(world.value("a", "WAIT", "1", "1000")).toBe(1);
    expect(world.value("b", "GET", "k")).toBe("v");
    expect(world.value("b", "SET", "k", "w")).toBe("READONLY You can't write against a read only replica.");
    expect(world.value("b", "EVAL", "return redis.call('set','k','w')", "0")).toMatch(
      /^READONLY .* script: [0-9a-f]{40}/,
    );
  });

  it("WAIT answers how many have it when its time is over, and not before", () => {
    const world = new RedisWorld({ servers: ["a", "b", "c"] });
    world.cut("a", "c");
    world.ask("a", "SET", "k", "v");
    const began = world.now;
    expect(world.value("a", "WAIT", "2", "300")).toBe(1);
    expect(world.now - began).toBeGreaterThanOrEqual(300 * MS);
    expect(world.value("a", "WAIT", "1", "300")).toBe(1);
  });

  it("a replica that was away goes on from its offset; one that starts anew gets everything", () => {
    const world = new RedisWorld({ servers: ["a", "b"] });
    world.ask("a", "SET", "k", "1");
    world.run(2 * SECOND);
    world.cut("a", "b");
    world.ask("a", "CONFIG", "SET", "repl-timeout", "3");
    world.ask("a", "SET", "k", "2");
    world.run(10 * SECOND);
    world.does({ type: "heal" });
    world.run(70 * SECOND);
    expect(world.value("b", "GET", "k")).toBe("2");
    const links = (): string[] => world.events("b").flatMap((one) => (one.type === "redis-link" ? [one.state] : []));
    expect(links().at(-1)).toBe("partial-sync");
    world.crash("b");
    world.restart("b");
    world.run(3 * SECOND);
    expect(links().at(-1)).toBe("full-sync");
    expect(world.value("b", "GET", "k")).toBe("2");
  });

  it("offsets count the bytes of the stream, alike on both ends", () => {
    const world = new RedisWorld({ servers: ["a", "b"] });
    const before = world.ask("a", "ROLE");
    world.ask("a", "SET", "k", "v");
    world.run(2 * SECOND);
    const [a, b] = [world.ask("a", "ROLE"), world.ask("b", "ROLE")];
    const offset = (role: typeof a, i: number): unknown => (role?.type === "array" ? role.items[i] : null);
    const select = "*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n";
    const set = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n";
    expect(offset(before, 1)).toEqual({ type: "int", value: 0 });
    expect(offset(a, 1)).toEqual({ type: "int", value: select.length + set.length });
    expect(offset(b, 4)).toEqual(offset(a, 1));
  });

  it("a key that is over is hidden by the replica and removed when the primary says so", () => {
    const world = new RedisWorld({ servers: ["a", "b"] });
    world.ask("a", "DEBUG", "SET-ACTIVE-EXPIRE", "0");
    world.ask("a", "SET", "k", "v", "PX", "500");
    world.run(SECOND);
    expect(world.value("b", "GET", "k")).toBe("nil");
    expect(world.value("b", "DBSIZE")).toBe(1);
    expect(world.value("a", "GET", "k")).toBe("nil");
    world.run(100 * MS);
    expect(world.value("b", "DBSIZE")).toBe(0);
  });

  it("what a script did is passed on, not the script: chance and time come out alike", () => {
    const world = new RedisWorld({ servers: ["a", "b"] });
    const script =
      "redis.call('sadd','s','x','y','z') redis.call('spop','s') redis.call('set','t',redis.call('time')[1])";
    world.ask("a", "EVAL", script, "0");
    world.run(100 * MS);
    expect(world.ask("b", "SMEMBERS", "s")).toEqual(world.ask("a", "SMEMBERS", "s"));
    expect(world.value("b", "GET", "t")).toBe(world.value("a", "GET", "t"));
  });
});

describe("failover", () => {
  it("story 15 (a): the sentinel promotes a replica that lacks the lock, and a second client takes it", () => {
    const world = new RedisWorld({ servers: ["a", "b"], downAfter: 2 * SECOND });
    world.cut("a", "b");
    expect(world.value("a", ...acquireCommand("lock", "A", 100_000))).toBe("OK");
    expect(world.value("a", "WAIT", "1", "100")).toBe(0);
    world.crash("a");
    world.run(8 * SECOND);
    expect(world.events("sentinel")).toContainEqual(
      expect.objectContaining({ type: "sentinel-switch", from: "a", to: "b" }),
    );
    expect(world.value("b", ...acquireCommand("lock", "B", 100_000))).toBe("OK");
    // The old primary comes back, is made to follow, and has B's lock.
    world.does({ type: "heal" });
    world.restart("a");
    world.run(10 * SECOND);
    expect(world.value("a", "GET", "lock")).toBe("B");
    expect(world.value("a", "SET", "x", "y")).toMatch(/^READONLY/);
  });

  it("the replica that has most of the stream is promoted, and the others go on from where they are", () => {
    const world = new RedisWorld({ servers: ["a", "b", "c"], downAfter: 2 * SECOND });
    world.ask("a", "SET", "k", "1");
    world.run(3 * SECOND);
    world.cut("a", "b");
    world.ask("a", "SET", "k", "2");
    world.run(3 * SECOND);
    world.crash("a");
    world.run(10 * SECOND);
    expect(world.value("sentinel", "SENTINEL", "get-master-addr-by-name", "mymaster")).toBe("array");
    expect(world.events("sentinel")).toContainEqual(expect.objectContaining({ type: "sentinel-switch", to: "c" }));
    expect(world.value("b", "GET", "k")).toBe("2");
    expect(world.value("c", "SET", "k", "3")).toBe("OK");
    world.run(SECOND);
    expect(world.value("b", "GET", "k")).toBe("3");
    const last = world.events("b").findLast((one) => one.type === "redis-link");
    expect(last).toMatchObject({ state: "partial-sync", primary: "c" });
  });

  it("a fencing counter is forgotten with the lock: the same number twice", () => {
    const world = new RedisWorld({ servers: ["a", "b"] });
    const acquire = (server: string, token: string): string | number | null =>
      world.value(server, "EVAL", ACQUIRE_FENCED_SCRIPT, "2", "lock", "fence", token, "100000");
    world.cut("a", "b");
    expect(acquire("a", "A")).toBe(1);
    world.crash("a");
    expect(world.value("b", "REPLICAOF", "NO", "ONE")).toBe("OK");
    expect(acquire("b", "B")).toBe(1);
  });

  it("a primary without a file that restarts is empty, and empties its replicas", () => {
    const world = new RedisWorld({ servers: ["a", "b"] });
    world.ask("a", "SET", "k", "v");
    world.run(SECOND);
    world.crash("a");
    world.restart("a");
    world.run(5 * SECOND);
    expect(world.value("a", "GET", "k")).toBe("nil");
    expect(world.value("b", "GET", "k")).toBe("nil");
  });
});

describe("the append-only file", () => {
  const afterPowerCut = (fsync: string, span: number): string | number | null => {
    const world = new RedisWorld({ servers: ["a"], options: ["--appendonly", "yes", "--appendfsync", fsync] });
    world.ask("a", "SET", "k", "v", "PX", "100000");
    world.run(span);
    world.crash("a");
    world.restart("a");
    world.run(SECOND);
    return world.value("a", "GET", "k");
  };

  it("always: what was answered is there after a power cut; everysec: after its second; no: not for half a minute", () => {
    expect(afterPowerCut("always", 0)).toBe("v");
    expect(afterPowerCut("everysec", 100 * MS)).toBe("nil");
    expect(afterPowerCut("everysec", 1_200 * MS)).toBe("v");
    expect(afterPowerCut("no", 10 * SECOND)).toBe("nil");
    expect(afterPowerCut("no", 31 * SECOND)).toBe("v");
  });

  it("always: no answer leaves before its fsync", () => {
    const world = new RedisWorld({ servers: ["a"], options: ["--appendonly", "yes", "--appendfsync", "always"] });
    world.ask("a", "PING");
    world.send("a", "SET", "k", "v");
    world.run(6 * MS);
    const wrote = world.trace.findLast(({ event }) => "type" in event && event.type === "sync-began");
    world.run(SECOND);
    const answered = world.trace.findLast(
      ({ process, event }) => process === "a" && "type" in event && event.type === "sent",
    );
    const ended = (wrote?.event as { endsAt: number } | undefined)?.endsAt ?? Number.NaN;
    expect(answered?.at).toBeGreaterThanOrEqual(ended);
  });

  it("a torn end, and a transaction without its end, are cut off; times stay absolute", () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const options = ["--appendonly", "yes", "--appendfsync", "no"];
      const world = new RedisWorld({ servers: ["a"], options, tornWrites: true, seed });
      world.ask("a", "SET", "first", "1", "PX", "60000");
      world.run(31 * SECOND);
      world.ask("a", "EVAL", "redis.call('set','x','1') redis.call('set','y','1')", "0");
      world.crash("a");
      world.restart("a");
      world.run(100 * MS);
      expect(world.value("a", "GET", "x")).toBe(world.value("a", "GET", "y"));
      expect(world.value("a", "PTTL", "first")).toBeLessThan(29_000);
      expect(world.value("a", "SET", "later", "1")).toBe("OK");
    }
  });

  it("a power cut while the file is rewritten loses nothing that the old one had", () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const options = ["--appendonly", "yes", "--appendfsync", "no"];
      const world = new RedisWorld({ servers: ["a"], options, tornWrites: true, seed });
      world.ask("a", "SET", "first", "1", "PX", "60000");
      world.run(31 * SECOND);
      world.send("a", "BGREWRITEAOF");
      world.run(5 * MS + 500);
      world.crash("a");
      world.restart("a");
      world.run(100 * MS);
      expect(world.value("a", "GET", "first")).toBe("1");
      expect(world.value("a", "PTTL", "first")).toBeLessThan(29_000);
    }
  });

  it("a rewritten file holds every kind of value", () => {
    const options = ["--appendonly", "yes", "--appendfsync", "always"];
    const world = new RedisWorld({ servers: ["a"], options });
    world.ask("a", "SELECT", "3");
    world.ask("a", "SET", "s", "text", "PX", "100000");
    world.ask("a", "HSET", "h", "f", "1");
    world.ask("a", "RPUSH", "l", "1", "2");
    world.ask("a", "SADD", "set", "m");
    world.ask("a", "ZADD", "z", "1.5", "m");
    world.ask("a", "BGREWRITEAOF");
    world.ask("a", "INCR", "n");
    world.run(SECOND);
    world.crash("a");
    world.restart("a");
    world.run(SECOND);
    world.ask("a", "SELECT", "3");
    expect(world.value("a", "DBSIZE")).toBe(6);
    expect(world.value("a", "TTL", "s")).toBeGreaterThan(90);
    expect(world.value("a", "ZSCORE", "z", "m")).toBe("1.5");
    expect(world.ask("a", "LRANGE", "l", "0", "-1")).toMatchObject({ items: [{ value: "1" }, { value: "2" }] });
  });
});

describe("time", () => {
  const jump = (jumpUs: number) => ({ type: "clock", process: "a" as ProcessId, driftPpm: 0, jumpUs }) as const;

  it("story 14 (b): the server's clock jumps ahead and the lock ends at once; back, and it lasts longer", () => {
    const world = new RedisWorld({ servers: ["a"] });
    world.ask("a", ...acquireCommand("lock", "A", 10_000));
    world.does(jump(60 * SECOND));
    world.run(200 * MS);
    expect(world.events("a")).toContainEqual({ type: "redis-key-gone", db: 0, key: "lock", why: "expired" });
    expect(world.value("a", ...acquireCommand("lock", "B", 10_000))).toBe("OK");
    world.does(jump(-60 * SECOND));
    world.run(40 * SECOND);
    expect(world.value("a", "GET", "lock")).toBe("B");
  });

  it("a blocking pop ends by its time; one that was served leaves nothing", () => {
    const world = new RedisWorld({ servers: ["a"] });
    const began = world.now;
    expect(world.ask("a", "BLPOP", "q", "0.5")).toEqual({ type: "nilarray" });
    expect(world.now - began).toBeGreaterThanOrEqual(500 * MS);
    world.ask("a", "RPUSH", "q", "x");
    expect(world.ask("a", "BLPOP", "q", "0.5")).toMatchObject({ items: [{ value: "q" }, { value: "x" }] });
    expect(world.value("a", "EXISTS", "q")).toBe(0);
  });

  it("DEBUG SLEEP: nobody is answered meanwhile, and all are afterwards", () => {
    const world = new RedisWorld({ servers: ["a"] });
    world.send("a", "DEBUG", "SLEEP", "2");
    const began = world.now;
    expect(world.value("a", "PING")).toBe("PONG");
    expect(world.now - began).toBeGreaterThanOrEqual(2 * SECOND);
  });
});

describe("a run", () => {
  it("that goes on from a checkpoint is the run that never stopped", () => {
    const config = { servers: ["a", "b", "c"], downAfter: 2 * SECOND, options: ["--appendonly", "yes"] };
    const play = (world: RedisWorld): void => {
      world.ask("a", "HSET", "h", "f", "2");
      world.ask("a", "EVAL", RELEASE_SCRIPT, "1", "lock", "A");
      world.run(2 * SECOND);
      world.crash("a");
      world.run(10 * SECOND);
    };
    const first = new RedisWorld(config);
    first.ask("a", "HSET", "h", "f", "1");
    first.ask("a", ...acquireCommand("lock", "A", 5_000));
    const saved = structuredClone(first.state());
    const shared = first.state();
    const { length } = first.trace;
    play(first);
    for (const state of [saved, shared]) {
      const second = new RedisWorld(config, state);
      play(second);
      expect(second.trace).toEqual(first.trace.slice(length));
    }
  });
});
