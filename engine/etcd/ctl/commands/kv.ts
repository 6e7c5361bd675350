/** `put`, `get`, `del` and `compaction`. The requests of the first three are those of `txn` as well. */
import { type Bytes, FROM_KEY, fromText, prefixEnd } from "../../api/bytes.ts";
import type { LeaseId } from "../../api/ids.ts";
import { DeleteRangeRequest, PutRequest, RangeRequest } from "../../api/messages.ts";
import { create } from "../../api/proto.ts";
import type { Ctl } from "../ctl.ts";
import { EXIT } from "../ctl.ts";
import { quote } from "../go/quote.ts";
import { parseInt64 } from "../go/strconv.ts";
import { unary } from "./unary.ts";

const PUT_WORDS = "put command needs 1 argument and input from stdin or 2 arguments";
const TOO_MANY = "too many arguments, only accept one argument when `--prefix` or `--from-key` is set";
const EITHER = "`--prefix` and `--from-key` cannot be set at the same time, choose one";

/** Whether `put` takes its value from standard input. */
const wantsInput = (ctl: Ctl) => ctl.words.length === 1 && !ctl.bool("ignore-value");

/** @param input what standard input held, for a value that is not among the words */
export function putRequest(ctl: Ctl, input: Bytes): PutRequest {
  if (ctl.words.length === 0) return ctl.fail(EXIT.badArgs, PUT_WORDS);
  const ignoreValue = ctl.bool("ignore-value");
  if (ignoreValue && ctl.words.length > 1)
    return ctl.fail(EXIT.badArgs, "put command needs only 1 argument when 'ignore-value' is set");
  if (wantsInput(ctl) && input === "") return ctl.fail(EXIT.badArgs, PUT_WORDS);
  const lease = parseInt64(ctl.text("lease"), 16);
  if (!lease.ok) return ctl.fail(EXIT.badArgs, `bad lease ID (${lease.error}), expecting ID in Hex`);
  return create(PutRequest, {
    key: ctl.bytes(0),
    value: ignoreValue ? "" : wantsInput(ctl) ? input : ctl.bytes(1),
    lease: lease.value as LeaseId,
    prevKv: ctl.bool("prev-kv"),
    ignoreValue,
    ignoreLease: ctl.bool("ignore-lease"),
  });
}

/** The span that words and flags mean. An empty key with `--prefix` or `--from-key` is the first key there can be. */
function span(ctl: Ctl): { readonly key: Bytes; readonly rangeEnd: Bytes } {
  const key = ctl.bytes(0);
  const [prefix, fromKey] = [ctl.bool("prefix"), ctl.bool("from-key")];
  if (prefix || fromKey) {
    if (key === "") return { key: "\0", rangeEnd: FROM_KEY };
    return { key, rangeEnd: prefix ? prefixEnd(key) : FROM_KEY };
  }
  return { key, rangeEnd: ctl.bytes(1) };
}

const TARGETS = { CREATE: "CREATE", KEY: "KEY", MODIFY: "MOD", VALUE: "VALUE", VERSION: "VERSION", "": "KEY" } as const;
const ORDERS = { ASCEND: "ASCEND", DESCEND: "DESCEND", "": "NONE" } as const;
const lookUp = <T extends object>(table: T, word: string): T[keyof T] | null =>
  Object.hasOwn(table, word.toUpperCase()) ? table[word.toUpperCase() as keyof T] : null;

export function getRequest(ctl: Ctl): RangeRequest {
  if (ctl.words.length === 0)
    return ctl.fail(EXIT.badArgs, "get command needs one argument as key and an optional argument as range_end");
  const [prefix, fromKey] = [ctl.bool("prefix"), ctl.bool("from-key")];
  if (prefix && fromKey) return ctl.fail(EXIT.badArgs, EITHER);
  const consistency = ctl.text("consistency");
  if (consistency !== "s" && consistency !== "l")
    return ctl.fail(EXIT.badFeature, `unknown consistency flag ${quote(consistency)}`);
  if (ctl.words.length > 1 && (prefix || fromKey)) return ctl.fail(EXIT.badArgs, TOO_MANY);
  const order = lookUp(ORDERS, ctl.text("order"));
  if (order === null) return ctl.fail(EXIT.badFeature, `bad sort order ${ctl.text("order")}`);
  const sortTarget = lookUp(TARGETS, ctl.text("sort-by"));
  if (sortTarget === null) return ctl.fail(EXIT.badFeature, `bad sort target ${ctl.text("sort-by")}`);
  return create(RangeRequest, {
    ...span(ctl),
    limit: ctl.number("limit"),
    revision: Math.max(0, ctl.number("rev")),
    // keys come in ascending order anyway: the client library does not ask for what would stop the limit from cutting
    sortOrder: sortTarget === "KEY" && order === "ASCEND" ? "NONE" : order,
    sortTarget,
    serializable: consistency === "s",
    keysOnly: ctl.bool("keys-only"),
  });
}

export function delRequest(ctl: Ctl): DeleteRangeRequest {
  if (ctl.words.length === 0 || ctl.words.length > 2)
    return ctl.fail(EXIT.badArgs, "del command needs one argument as key and an optional argument as range_end");
  const [prefix, fromKey] = [ctl.bool("prefix"), ctl.bool("from-key")];
  if (prefix && fromKey) return ctl.fail(EXIT.badArgs, EITHER);
  if (ctl.words.length > 1 && (prefix || fromKey)) return ctl.fail(EXIT.badArgs, TOO_MANY);
  return create(DeleteRangeRequest, { ...span(ctl), prevKv: ctl.bool("prev-kv") });
}

export const put = unary({
  method: "KV/Put",
  limited: true,
  ready: (ctl) => !wantsInput(ctl) || ctl.stdin.ended,
  body: (ctl) => putRequest(ctl, wantsInput(ctl) ? ctl.stdin.peek() : ""),
  show: (ctl, response) => ctl.show({ type: "put", response }),
});

export const get = unary({
  method: "KV/Range",
  limited: true,
  body: getRequest,
  show: (ctl, response) => {
    ctl.valueOnly = ctl.bool("print-value-only");
    if (ctl.valueOnly && ctl.format !== "simple")
      return ctl.fail(EXIT.badArgs, "print-value-only is only for `--write-out=simple`");
    ctl.show({ type: "get", response });
  },
});

export const del = unary({
  method: "KV/DeleteRange",
  limited: true,
  body: delRequest,
  show: (ctl, response) => ctl.show({ type: "del", response }),
});

function compactionRevision(ctl: Ctl): number {
  if (ctl.words.length !== 1) return ctl.fail(EXIT.badArgs, "compaction command needs 1 argument");
  const revision = parseInt64(ctl.words[0] as string, 10);
  return revision.ok ? Number(revision.value) : ctl.fail(EXIT.error, revision.error);
}

export const compaction = unary({
  method: "KV/Compact",
  limited: true,
  body: (ctl) => ({ revision: compactionRevision(ctl), physical: ctl.bool("physical") }),
  show: (ctl) => ctl.print(fromText(`compacted revision ${compactionRevision(ctl)}\n`)),
});
