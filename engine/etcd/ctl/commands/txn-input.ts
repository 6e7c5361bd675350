/**
 * What is typed into `txn`: compares and requests. Read as the tool reads it, by a regular expression and Go's Sscanf,
 * with what is odd about that.
 */
import { type Bytes, fromText, toText } from "../../api/bytes.ts";
import { Compare, RequestOp } from "../../api/messages.ts";
import { create } from "../../api/proto.ts";
import { lookUp, resolve } from "../cobra/command.ts";
import { plainUsage } from "../cobra/usage.ts";
import type { FlagValues } from "../cobra/flags.ts";
import { type Ctl, EXIT } from "../ctl.ts";
import { quoteBytes, scanQuoted } from "../go/quote.ts";
import { parseInt64 } from "../go/strconv.ts";
import { TXN_REQUESTS } from "../tree.ts";
import { delRequest, getRequest, putRequest } from "./kv.ts";

/**
 * The words of a line. Of one in single quotes the tool keeps the bytes from the second on up to the number of words
 * less one: it counts the wrong thing.
 */
export function argify(ctl: Ctl, line: Bytes): readonly Bytes[] {
  const words = line.match(/"(?:[^"\\]|\\[^\n])*"|'[^']*'|[^'"\t\n\f\r ][^\t\n\f\r ]*[^'"\t\n\f\r ]?/g) ?? [];
  return words.map((word) => {
    if (word.startsWith("'")) {
      const end = words.length - 1;
      if (end > word.length)
        return ctl.panic(`runtime error: slice bounds out of range [:${end}] with length ${word.length}`);
      if (end < 1) return ctl.panic(`runtime error: slice bounds out of range [1:${end}]`);
      return word.slice(1, end);
    }
    if (!word.startsWith('"')) return word;
    return scanQuoted(word)?.value ?? ctl.fail(EXIT.invalidInput, "invalid syntax");
  });
}

const OPERATORS = { "=": "EQUAL", "!=": "NOT_EQUAL", ">": "GREATER", "<": "LESS" } as const;
const NUMBERS: Readonly<
  Record<string, readonly ["VERSION" | "CREATE" | "MOD", "version" | "createRevision" | "modRevision"]>
> = {
  ver: ["VERSION", "version"],
  version: ["VERSION", "version"],
  c: ["CREATE", "createRevision"],
  create: ["CREATE", "createRevision"],
  m: ["MOD", "modRevision"],
  mod: ["MOD", "modRevision"],
};

/** `target("key") operator "value"`. */
export function parseCompare(ctl: Ctl, line: Bytes): Compare {
  const wrong = (why: Bytes): never => ctl.fail(EXIT.invalidInput, toText(why));
  const paren = line.indexOf("(");
  if (paren < 0) return wrong(`malformed comparison: ${line}`);
  const target = line.slice(0, paren);
  const { key, operator, value } = scanCompare(line.slice(paren + 1));
  if (value === null) {
    const got = `${target}(${fromText(quoteBytes(key))}) ${operator} ""`;
    return wrong(`malformed comparison: ${line}; got ${got}`);
  }
  const number = NUMBERS[target];
  if (number !== undefined) {
    const parsed = parseInt64(toText(value), 10);
    if (!parsed.ok) return wrong(`invalid txn compare request: ${line}`);
    const result = operatorOf(ctl, operator);
    return create(Compare, { key, result, target: number[0], [number[1]]: Number(parsed.value) });
  }
  if (target === "val" || target === "value")
    return create(Compare, { key, result: operatorOf(ctl, operator), target: "VALUE", value });
  if (target !== "lease") return wrong(`malformed comparison: ${line} (unknown target ${target})`);
  operatorOf(ctl, operator);
  return ctl.panic("bad value");
}

function operatorOf(ctl: Ctl, operator: Bytes): Compare["result"] {
  if (!Object.hasOwn(OPERATORS, operator)) return ctl.panic("Unknown result op");
  return OPERATORS[operator as keyof typeof OPERATORS];
}

/** Go's Sscanf with `%q) %s %q`: as far as it comes. A space there is one or more here. */
function scanCompare(input: Bytes): { readonly key: Bytes; readonly operator: Bytes; readonly value: Bytes | null } {
  const key = scanQuoted(input.trimStart());
  if (key === null) return { key: "", operator: "", value: null };
  const operator = /^\)[ \t]+([^ \t]+)/.exec(key.rest);
  if (operator === null) return { key: key.value, operator: "", value: null };
  const rest = key.rest.slice(operator[0].length);
  const value = /^[ \t]/.test(rest) ? scanQuoted(rest.trimStart()) : null;
  return { key: key.value, operator: operator[1] as Bytes, value: value?.value ?? null };
}

/** Null: help was asked for, and shown; nothing comes of the request any more. */
export function parseRequest(ctl: Ctl, line: Bytes): RequestOp | null {
  const words = argify(ctl, line).map(toText);
  if (words.length < 2) return ctl.fail(EXIT.invalidInput, `invalid txn compare request: ${toText(line)}`);
  const found = resolve(TXN_REQUESTS, words);
  switch (found.type) {
    case "unknown":
      return ctl.fail(EXIT.invalidInput, `invalid txn request: ${toText(line)}`);
    case "mistake":
      ctl.complain(fromText(`${plainUsage(found.path)}\n`));
      return ctl.fail(EXIT.invalidInput, `invalid txn request: ${toText(line)}`);
    case "help":
      ctl.print(fromText(helpText(found.path.at(-1)?.long, found.path.at(-1)?.short, plainUsage(found.path))));
      return null;
    case "run":
      return request(found.path.at(-1)?.use.split(" ")[0] ?? "", found.flags, ctl);
  }
}

const helpText = (long: string | undefined, short: string | undefined, usage: string) =>
  `${long === undefined || long === "" ? (short ?? "") : long}\n\n${usage}`;

function request(name: string, flags: FlagValues, ctl: Ctl): RequestOp | null {
  const inner = ctl.withFlags(flags);
  if (name === "put") return create(RequestOp, { requestPut: putRequest(inner, "") });
  if (name === "get") return create(RequestOp, { requestRange: getRequest(inner) });
  if (name === "del") return create(RequestOp, { requestDeleteRange: delRequest(inner) });
  const path = lookUp(TXN_REQUESTS, flags.words);
  if (path === null) {
    const topics = flags.words.map((word) => `\`${word}\``).join(" ");
    ctl.complain(fromText(`Unknown help topic [${topics}]\n${plainUsage([TXN_REQUESTS], false)}`));
    return null;
  }
  ctl.print(fromText(helpText(path.at(-1)?.long, path.at(-1)?.short, plainUsage(path))));
  return null;
}
