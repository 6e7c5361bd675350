import { deflateRawSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Command,
  DEFAULT_CONFIG,
  DRIFT_PPM_MAX,
  LATENCY_MAX,
  type Recorded,
  type RunConfig,
  VALUE_LENGTH_MAX,
} from "../../engine/index.ts";
import { isProcessId } from "../store/ids.ts";
import { decodeLink, encodeLink, ENGINE_VERSION, PACKED_BYTES_MAX, UNPACKED_BYTES_MAX } from "./link.ts";
import { AT_MAX_US, COMMANDS_MAX, EVENTS_MAX, JUMP_MAX_US } from "./schema.ts";

const HASH = "0123456789abcdef";
const plain = { v: ENGINE_VERSION, seed: 1, config: DEFAULT_CONFIG, commands: [], at: 5, n: 2, hash: HASH };

/** A link that says whatever it is told, as a stranger would make it. */
function forge(body: unknown): string {
  return forgeText(JSON.stringify(body));
}

function forgeText(text: string): string {
  return `#s=1.${deflateRawSync(Buffer.from(text)).toString("base64url")}`;
}

const N1 = "n1";
const C1 = "c1";
if (!isProcessId(N1) || !isProcessId(C1)) throw new Error("these are ids");
const ids = fc.constantFrom<string[]>("n1", "n2", "n9", "c1").filter(isProcessId);
const span = fc
  .tuple(fc.integer({ min: 1, max: LATENCY_MAX }), fc.integer({ min: 1, max: LATENCY_MAX }))
  .map(([a, b]) => ({ min: Math.min(a, b), max: Math.max(a, b) }));
const perMillion = fc.integer({ min: 0, max: 1_000_000 });
const quality = fc.record({
  span,
  lossPerMillion: perMillion,
  duplicatePerMillion: perMillion,
  reorderPerMillion: perMillion,
});
const linkQuality = quality.map(({ span: { min, max }, ...rest }) => ({ latencyMin: min, latencyMax: max, ...rest }));
const diskQuality = fc
  .record({ span, tornWrites: fc.boolean() })
  .map(({ span: { min, max }, tornWrites }) => ({ fsyncMin: min, fsyncMax: max, tornWrites }));
const ends = fc.record({ from: ids, to: ids });
const message = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const value = fc.string({ minLength: 1, maxLength: 100, unit: "binary" }).filter((text) => text.length <= 100);

function about<const Type extends string>(type: Type) {
  return fc.record({ type: fc.constant(type), process: ids });
}

function aboutMessage<const Type extends string>(type: Type) {
  return fc.record({ type: fc.constant(type), message });
}

function aboutLinks<const Type extends string>(type: Type) {
  return fc.record({ type: fc.constant(type), links: fc.array(ends, { maxLength: 20 }) });
}

const command: fc.Arbitrary<Command> = fc.oneof(
  about("crash"),
  about("restart"),
  about("pause"),
  about("resume"),
  about("wipe"),
  fc.record({ type: fc.constant("corrupt" as const), process: ids, back: message }),
  aboutMessage("hold"),
  aboutMessage("release"),
  aboutMessage("drop"),
  aboutMessage("duplicate"),
  aboutLinks("cut"),
  aboutLinks("mend"),
  fc.record({ type: fc.constant("partition" as const), groups: fc.array(fc.array(ids, { maxLength: 9 })) }),
  fc.record({ type: fc.constant("heal" as const) }),
  fc.record({ type: fc.constant("network" as const), quality: linkQuality }),
  fc.record({ type: fc.constant("link" as const), link: ends, quality: linkQuality }),
  fc.record({ type: fc.constant("disk" as const), process: ids, quality: diskQuality }),
  fc.record({
    type: fc.constant("clock" as const),
    process: ids,
    driftPpm: fc.integer({ min: -DRIFT_PPM_MAX, max: DRIFT_PPM_MAX }),
    jumpUs: fc.integer({ min: -JUMP_MAX_US, max: JUMP_MAX_US }),
  }),
  fc.record({ type: fc.constant("write" as const), client: ids, member: fc.option(ids), value }),
  fc.record({ type: fc.constant("panic" as const), process: ids, message: fc.string(), stack: fc.string() }),
);

const commands: fc.Arbitrary<readonly Recorded[]> = fc
  .array(
    fc.record({ n: fc.integer({ min: 0, max: EVENTS_MAX }), at: fc.integer({ min: 0, max: AT_MAX_US }), command }),
    { maxLength: 30 },
  )
  .map((list) => {
    const ns = list.map(({ n }) => n).toSorted((a, b) => a - b);
    const ats = list.map(({ at }) => at).toSorted((a, b) => a - b);
    return list.map((recorded, i) => ({ ...recorded, n: ns[i] ?? 0, at: ats[i] ?? 0 }));
  });

const config: fc.Arbitrary<RunConfig> = fc.record({
  members: fc.integer({ min: 1, max: 9 }),
  timing: fc.constantFrom("paper", "wide", "etcd"),
  preVote: fc.boolean(),
  checkQuorum: fc.boolean(),
  network: linkQuality,
  disk: diskQuality,
  clients: fc.integer({ min: 0, max: 3 }),
});

describe("a link", () => {
  it("gives back the run that it was made from", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          spec: fc.record({ seed: fc.maxSafeNat(), config }),
          commands,
          at: fc.integer({ min: 0, max: AT_MAX_US }),
          n: fc.integer({ min: 0, max: EVENTS_MAX }),
          hash: fc.constant(HASH),
        }),
        async (run) => {
          const link = await encodeLink({ ...run, view: { speed: "max" } });
          if (!link.ok) throw new Error(JSON.stringify(link.problem));
          const back = await decodeLink(`https://example.org/a/?x=1#${link.value}`);
          const shared = { ...run, version: ENGINE_VERSION, view: { speed: "max" } };
          expect(back).toEqual({ ok: true, value: shared }); // fast-check also makes objects without a prototype
        },
      ),
      { numRuns: 60 },
    );
  });

  it("stays short: 200 commands fit in 4,000 characters", async () => {
    const list = Array.from({ length: 200 }, (_, i) => ({
      n: i * 40,
      at: i * 90_000,
      command: { type: i % 2 === 0 ? ("crash" as const) : ("restart" as const), process: i % 3 === 0 ? N1 : C1 },
    }));
    const link = await encodeLink({
      spec: { seed: 7, config: DEFAULT_CONFIG },
      commands: list,
      at: 1,
      n: 1,
      hash: HASH,
    });
    expect(link.ok && link.value.length).toBeLessThan(4_000);
  });

  it("is not handed out when it could not be opened again", async () => {
    const run = { spec: { seed: -1, config: DEFAULT_CONFIG }, commands: [], at: 0, n: 0, hash: HASH };
    expect(await encodeLink(run)).toStrictEqual({ ok: false, problem: { why: "not-valid", path: "seed" } });
  });
});

describe("a hostile link", () => {
  it("any text at all is answered with a problem, never with an exception", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), async (text) => {
        expect((await decodeLink(text)).ok).toBe(false);
        expect((await decodeLink(`#s=1.${text}`)).ok).toBe(false);
      }),
    );
  });

  it("any JSON at all is answered with a problem, never with an exception", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (body) => {
        expect(await decodeLink(forge(body))).toMatchObject({ ok: false, problem: { why: "not-valid" } });
      }),
    );
  });

  it("is told from no link and from one of another form", async () => {
    expect(await decodeLink("")).toMatchObject({ problem: { why: "not-a-link" } });
    expect(await decodeLink("#chapter-2")).toMatchObject({ problem: { why: "not-a-link" } });
    expect(await decodeLink("#s=2.abcd")).toMatchObject({ problem: { why: "other-version", version: "2" } });
    expect(await decodeLink("#s=1.a")).toMatchObject({ problem: { why: "damaged" } });
    expect(await decodeLink("#s=1.abcdefgh")).toMatchObject({ problem: { why: "damaged" } });
  });

  it("cut short by a mail program is damaged", async () => {
    const whole = forge(plain);
    expect(await decodeLink(whole)).toMatchObject({ ok: true });
    for (const length of [10, 20, whole.length - 9, whole.length - 1])
      expect((await decodeLink(whole.slice(0, length))).ok).toBe(false);
  });

  it("too long a text is refused before it is unpacked", async () => {
    const problem = { why: "too-large", limit: PACKED_BYTES_MAX };
    expect(await decodeLink(`#s=1.${"A".repeat(90_000)}`)).toMatchObject({ problem });
    expect(await decodeLink("A".repeat(10_000_000))).toMatchObject({ problem });
  });

  it("a bomb is refused while it unpacks", async () => {
    const bomb = forgeText(`"${"a".repeat(60_000_000)}"`);
    expect(bomb.length).toBeLessThan(PACKED_BYTES_MAX * 1.4);
    expect(await decodeLink(bomb)).toMatchObject({ problem: { why: "too-large", limit: UNPACKED_BYTES_MAX } });
  });

  it("deep nesting is refused", async () => {
    expect((await decodeLink(forgeText("[".repeat(200_000) + "]".repeat(200_000)))).ok).toBe(false);
  });

  it.each([
    ["seed", { ...plain, seed: -1 }],
    ["seed", { ...plain, seed: 1.5 }],
    ["seed", { ...plain, seed: 2 ** 53 }],
    ["seed", { ...plain, seed: "1" }],
    ["seed", { ...plain, seed: null }],
    ["v", { ...plain, v: 0 }],
    ["hash", { ...plain, hash: "xyz" }],
    ["at", { ...plain, at: AT_MAX_US + 1 }],
    ["n", { ...plain, n: EVENTS_MAX + 1 }],
    ["extra", { ...plain, extra: 1 }],
    ["config", { ...plain, config: null }],
    ["config.members", { ...plain, config: { ...DEFAULT_CONFIG, members: 0 } }],
    ["config.members", { ...plain, config: { ...DEFAULT_CONFIG, members: 10 } }],
    ["config.timing", { ...plain, config: { ...DEFAULT_CONFIG, timing: "toString" } }],
    ["config.preVote", { ...plain, config: { ...DEFAULT_CONFIG, preVote: 1 } }],
    ["config.clients", { ...plain, config: { ...DEFAULT_CONFIG, clients: 4 } }],
    [
      "config.network",
      {
        ...plain,
        config: { ...DEFAULT_CONFIG, network: { ...DEFAULT_CONFIG.network, latencyMin: 9e6, latencyMax: 8e6 } },
      },
    ],
    [
      "config.network.latencyMin",
      { ...plain, config: { ...DEFAULT_CONFIG, network: { ...DEFAULT_CONFIG.network, latencyMin: 0 } } },
    ],
    ["commands", { ...plain, commands: { length: 1 } }],
    ["commands.0.command.type", { ...plain, commands: [{ n: 0, at: 0, command: { type: "constructor" } }] }],
    [
      "commands.0.command.process",
      { ...plain, commands: [{ n: 0, at: 0, command: { type: "crash", process: "<b>" } }] },
    ],
    ["commands.0.command.value", write("")],
    ["commands.0.command.value", write("x".repeat(VALUE_LENGTH_MAX + 1))],
    ["commands", { ...plain, commands: [crashAt(5), crashAt(4)] }],
  ])("names %s when its value is out of range", async (path, body) => {
    expect(await decodeLink(forge(body))).toStrictEqual({ ok: false, problem: { why: "not-valid", path } });
  });

  it("too many commands are refused", async () => {
    const body = { ...plain, commands: Array.from({ length: COMMANDS_MAX + 1 }, () => crashAt(0)) };
    expect(await decodeLink(forge(body))).toMatchObject({ problem: { why: "not-valid", path: "commands" } });
  });

  it("keys of the prototype are unknown keys, and change no prototype", async () => {
    for (const key of ["__proto__", "constructor", "prototype"]) {
      const planted = `"${key}":{"polluted":true},`;
      const text = JSON.stringify(plain);
      expect((await decodeLink(forgeText(text.replace("{", `{${planted}`)))).ok).toBe(false);
      expect((await decodeLink(forgeText(text.replace('"members"', `${planted}"members"`)))).ok).toBe(false);
    }
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("figures that JSON cannot say do not come through", async () => {
    for (const figure of ["NaN", "Infinity", "-0.5", "1e400", "1e999", "9007199254740993"])
      expect((await decodeLink(forgeText(JSON.stringify(plain).replace('"seed":1', `"seed":${figure}`)))).ok).toBe(
        false,
      );
  });
});

function write(text: string) {
  const command = { type: "write", client: "c1", member: null, value: text };
  return { ...plain, commands: [{ n: 0, at: 0, command }] };
}

function crashAt(n: number) {
  return { n, at: n, command: { type: "crash", process: "n1" } };
}
