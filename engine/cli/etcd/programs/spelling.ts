/** Requests as JSON that is odd but may be right: names, numbers, bytes, white space, what is left out or is there twice. */
import { b64, Draw, EVERYTHING, inTurn, KV, LEASE, type Program } from "./kit.ts";

export function spellingProgram(seed: number): Program {
  return {
    name: `spelling-${seed}`,
    about: "what the JSON gateway reads in odd spellings",
    seed,
    run: async (recorder) => {
      const draw = new Draw(seed, "spelling");
      const space = (): string => draw.pick(["", "", "", " ", "\n\t ", "\r"]);
      const text = (): string =>
        draw.pick([
          '"Zm9v"',
          '"YQ=="',
          '"Zg"',
          '"Zg="',
          '"Zm8="',
          '"Zm9v_-8="',
          '"+/8="',
          '"Z m8="',
          '"Zm9v\\n"',
          '"\\u0059Q=="',
          '""',
          "null",
          "5",
          "true",
          '"Zm9"',
          '"===="',
          "[]",
          "{}",
        ]);
      const figure = (): string =>
        draw.pick([
          "0",
          "1",
          "3",
          '"3"',
          '"0"',
          '" 3"',
          '"3 "',
          "-1",
          '"-1"',
          "3.0",
          "3.5",
          "1e1",
          '"1e1"',
          '"0x3"',
          "03",
          '"03"',
          "null",
          "true",
          '""',
          '"x"',
          "9223372036854775807",
          '"9223372036854775808"',
          "1E400",
          '"+3"',
          "- 1",
          "[]",
          "3e0",
        ]);
      const flag = (): string => draw.pick(["true", "false", '"true"', "null", "1", "0", '""', "True"]);
      const name = (snake: string): string => {
        const camel = snake.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
        return draw.pick([snake, snake, camel, camel, snake.toUpperCase(), `${snake} `, snake.replace("_", "\\u005f")]);
      };
      const order = (): string =>
        draw.pick(['"DESCEND"', '"ASCEND"', '"NONE"', "0", "1", "2", '"1"', '"descend"', "null", "2.0", '""', "-1"]);
      const target = (): string => draw.pick(['"KEY"', '"MOD"', '"VALUE"', "0", "3", '"CREATE"', "null"]);
      const field = (known: string, value: string): string =>
        `${space()}"${name(known)}"${space()}:${space()}${value}${space()}`;
      const object = (fields: readonly string[]): string =>
        `${space()}{${fields.join(",")}${draw.chance(3) ? "," : ""}}${draw.chance(95) ? space() : draw.pick(["x", "{}", "]"])}`;
      const some = (fields: readonly (() => string)[]): string[] =>
        fields.filter(() => draw.chance(45)).map((make) => make());
      const key = (): string => field("key", draw.chance(60) ? '"Zm9v"' : text());
      const unknown = (): string => `"bogus":${draw.pick(["1", "[1,2]", '{"a":[null]}', '"x"'])}`;
      const put = (): string[] => [
        key(),
        ...some([
          () => field("value", text()),
          () => field("prev_kv", flag()),
          () => field("ignore_value", flag()),
          () => field("lease", figure()),
          unknown,
        ]),
      ];
      const range = (): string[] => [
        key(),
        ...some([
          () => field("limit", figure()),
          () => field("sort_order", order()),
          () => field("sort_target", target()),
          () => field("keys_only", flag()),
          () => field("count_only", flag()),
          () => field("serializable", flag()),
          unknown,
        ]),
      ];
      const txn = (): string[] => [
        field(
          "compare",
          draw.pick([
            "[]",
            "null",
            `[${object([key(), field("target", draw.pick(['"VERSION"', '"CREATE"', "0", "1", '"LEASE"', "null"])), field("result", draw.pick(['"EQUAL"', '"GREATER"', "0", "1", "null"])), field(draw.pick(["version", "create_revision", "lease"]), figure())])}]`,
          ]),
        ),
        field(
          "success",
          draw.pick([
            "[]",
            `[{"${name("request_put")}":${object(put())}}]`,
            `[{"${name("request_range")}":${object(range())}}]`,
            "{}",
            "null",
          ]),
        ),
        ...some([() => field("failure", "[]"), unknown]),
      ];
      const steps: readonly (readonly [number, () => Promise<unknown>])[] = [
        [20, () => recorder.call(`${KV}put`, object(put()))],
        [25, () => recorder.call(`${KV}range`, object(range()))],
        [12, () => recorder.call(`${KV}txn`, object(txn()))],
        [5, () => recorder.call(`${KV}deleterange`, object([key(), ...some([() => field("prev_kv", flag())])]))],
        [
          3,
          () =>
            recorder.call(
              `${LEASE}grant`,
              object([
                field("ID", draw.pick(['"7"', "7", '"8"', "8.0", '"x"'])),
                field("TTL", draw.pick(['"600"', "600", "6e2", '"6e2"'])),
              ]),
            ),
        ],
        [
          3,
          () =>
            recorder.call(
              `${LEASE}timetolive`,
              object([`"ID":${draw.pick(['"7"', "7", "8"])}`, ...some([() => field("keys", flag())])]),
            ),
        ],
        [
          2,
          () =>
            recorder.call(
              draw.pick([`${KV}nothing`, "/v3/", "/v2/keys", "/v3alpha/kv/range", "/v3beta/kv/range"]),
              '{"key":"Zm9v"}',
            ),
        ],
        [
          2,
          () =>
            recorder.call(
              `${KV}${draw.pick(["range", "put", "txn"])}`,
              draw.pick([
                "[]",
                "null",
                '"x"',
                "5",
                "{",
                "not json",
                "{}}",
                '{"key"}',
                "{'key':1}",
                '{"key":"YQ==","key":"Yg=="}',
                "\u00a0{}",
                "{}\n{}",
              ]),
            ),
        ],
      ];
      await recorder.call(`${KV}put`, { key: b64("foo"), value: b64("bar") });
      await inTurn(110, () => draw.way(steps));
      await recorder.call(`${KV}range`, EVERYTHING);
    },
  };
}
