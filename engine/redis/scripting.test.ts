import { expect, it } from "vitest";
import { OK } from "./reply.ts";
import { SCRIPT_START, ScriptEngine, type ScriptState } from "./scripting.ts";

const HOST = { call: () => OK, checkCommand: () => null };

function run(engine: ScriptEngine, state: ScriptState, source: string) {
  engine.state = state;
  const reply = engine.run(source, [], [], HOST);
  return { reply, state: engine.state };
}

it("an engine that has read scripts before answers as a new one does: nothing of a script stays in it", () => {
  const used = new ScriptEngine();
  const scripts = [
    "local n = 0 local function f() n = n + 1 return n end f() return f()",
    "return math.random(1000)",
    "cjson.encode_number_precision(3) return cjson.encode(1/3)",
    "KEYS[1] = 'left over' return #KEYS",
    "error('boom')",
    "local function deep() return 1 + deep() end return deep()",
    "x = 1",
  ];
  for (const source of scripts) run(used, SCRIPT_START, source);
  for (const source of scripts) {
    expect(run(used, SCRIPT_START, source)).toEqual(run(new ScriptEngine(), SCRIPT_START, source));
  }
});

it("what lasts from script to script is in the state that is handed on", () => {
  const first = run(new ScriptEngine(), SCRIPT_START, "cjson.encode_number_precision(3) return math.random(1000)");
  const [a, b] = [1, 2].map(() =>
    run(new ScriptEngine(), first.state, "return {math.random(1000), cjson.encode(1/3)}"),
  );
  expect(a).toEqual(b);
  expect(a?.reply).toMatchObject({ items: [{}, { value: "0.333" }] });
});
