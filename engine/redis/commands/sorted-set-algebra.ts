/** Unions, intersections and differences of sorted sets (plain sets count with a score of 1), answered or stored. */
import { arg, type Call, command, type CommandSpec } from "../call.ts";
import { lower } from "../bytes.ts";
import { integer, toDouble } from "../numbers.ts";
import { int, Refused, type Reply, SYNTAX, WRONG_TYPE } from "../reply.ts";
import { answer, ordered, type Row } from "./sorted-sets.ts";
import { store } from "./store.ts";

type Scores = ReadonlyMap<string, number>;
type Kind = "union" | "inter" | "diff";

interface Asked {
  readonly sources: readonly Scores[];
  readonly weights: readonly number[];
  readonly aggregate: (a: number, b: number) => number;
  readonly withScores: boolean;
}

/** Of infinities that cancel out there is nothing left. */
const sum = (a: number, b: number): number => (Number.isNaN(a + b) ? 0 : a + b);
const AGGREGATES: Readonly<Record<string, Asked["aggregate"]>> = { sum, min: Math.min, max: Math.max };

function sourceOf({ keys }: Call, key: string): Scores {
  const value = keys.read(key);
  if (value === null) return new Map();
  if (value.type === "zset") return value.scores;
  if (value.type === "set") return new Map([...value.members].map((member) => [member, 1]));
  throw new Refused(WRONG_TYPE);
}

/** `numkeys key … [WEIGHTS …] [AGGREGATE …] [WITHSCORES]`, the count at argument `at`. */
function asked(call: Call, at: number, kind: Kind, isStored: boolean): Asked {
  const { args } = call;
  const name = lower(arg(call, 0));
  const count = integer(arg(call, at));
  if (count < 1) throw new Refused(`ERR at least 1 input key is needed for '${name}' command`);
  if (count > args.length - at - 1) throw new Refused(SYNTAX);
  const sources = args.slice(at + 1, at + 1 + count).map((key) => sourceOf(call, key));
  let weights = sources.map(() => 1);
  let aggregate: Asked["aggregate"] = sum;
  let withScores = false;
  for (let i = at + 1 + count; i < args.length; i += 1) {
    const word = lower(arg(call, i));
    const left = args.length - i;
    if (kind !== "diff" && word === "weights" && left >= count + 1) {
      weights = args.slice(i + 1, i + 1 + count).map((text) => {
        const weight = toDouble(text);
        if (weight === null) throw new Refused("ERR weight value is not a float");
        return weight;
      });
      i += count;
    } else if (kind !== "diff" && word === "aggregate" && left >= 2) {
      const chosen = AGGREGATES[lower(arg(call, i + 1))];
      if (chosen === undefined) throw new Refused(SYNTAX);
      aggregate = chosen;
      i += 1;
    } else if (!isStored && word === "withscores") withScores = true;
    else throw new Refused(SYNTAX);
  }
  return { sources, weights, aggregate, withScores };
}

const weighted = (score: number, weight: number): number => (Number.isNaN(score * weight) ? 0 : score * weight);

function combined(kind: Kind, { sources, weights, aggregate }: Asked): Row[] {
  const [first, ...rest] = sources;
  if (first === undefined) return [];
  if (kind === "diff") return [...first].filter(([member]) => rest.every((other) => !other.has(member)));
  const result = new Map<string, number>();
  for (const [i, source] of sources.entries())
    for (const [member, score] of source) {
      if (kind === "inter" && !sources.every((other) => other.has(member))) continue;
      const own = weighted(score, weights[i] ?? 1);
      const before = result.get(member);
      result.set(member, before === undefined ? own : aggregate(before, own));
    }
  return [...result];
}

function answered(kind: Kind) {
  return (call: Call): Reply => {
    const wanted = asked(call, 1, kind, false);
    return answer(ordered(combined(kind, wanted)), wanted.withScores);
  };
}

function stored(kind: Kind) {
  return (call: Call): Reply => store(call, arg(call, 1), combined(kind, asked(call, 2, kind, true)), `z${kind}store`);
}

function intercard(call: Call): Reply {
  const { args } = call;
  const count = integer(arg(call, 1));
  if (count <= 0) throw new Refused("ERR at least 1 input key is needed for 'zintercard' command");
  if (count > args.length - 2) throw new Refused(SYNTAX);
  const sources = args.slice(2, 2 + count).map((key) => sourceOf(call, key));
  let limit = 0;
  for (let i = 2 + count; i < args.length; i += 2) {
    if (lower(arg(call, i)) !== "limit" || args[i + 1] === undefined) throw new Refused(SYNTAX);
    limit = integer(arg(call, i + 1), "ERR LIMIT can't be negative");
    if (limit < 0) throw new Refused("ERR LIMIT can't be negative");
  }
  const size = combined("inter", { sources, weights: [], aggregate: sum, withScores: false }).length;
  return int(limit === 0 ? size : Math.min(limit, size));
}

export const sortedSetAlgebra: readonly CommandSpec[] = [
  command("zunion", -3, "", answered("union")),
  command("zinter", -3, "", answered("inter")),
  command("zdiff", -3, "", answered("diff")),
  command("zunionstore", -4, "write", stored("union")),
  command("zinterstore", -4, "write", stored("inter")),
  command("zdiffstore", -4, "write", stored("diff")),
  command("zintercard", -3, "", intercard),
];
