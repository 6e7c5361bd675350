/** `watch`: events as they come, of one watch, or with `-i` of as many as are typed; and programs run at each. */
import { type Bytes, FROM_KEY, fromText, prefixEnd, toText } from "../../api/bytes.ts";
import type { EtcdError } from "../../api/errors.ts";
import type { Event, ResponseHeader } from "../../api/messages.ts";
import { WatchResponse } from "../../api/messages.ts";
import { create } from "../../api/proto.ts";
import { localFlags } from "../cobra/command.ts";
import { parseFlags } from "../cobra/flags.ts";
import { command, type Ctl, EXIT } from "../ctl.ts";
import { quote, quoteBytes } from "../go/quote.ts";
import { runProgram } from "../programs.ts";
import { WATCH } from "../tree.ts";
import { argify } from "./txn-input.ts";

const BAD_NUMBER = "bad number of arguments";
const NO_PROGRAM = `${BAD_NUMBER} (found separator --, but no commands)`;
const CONFLICT = `${BAD_NUMBER} (found conflicting environment key)`;

interface Asked {
  readonly words: readonly string[];
  readonly prefix: boolean;
  readonly revision: number;
  readonly prevKv: boolean;
  /** Empty: none is run. */
  readonly program: readonly string[];
}

/** One of ours: its number at the client, and what is run at its events. */
interface Watching {
  readonly watch: number;
  readonly program: readonly string[];
}

interface State {
  readonly watches: readonly Watching[];
}

export const watch = command<State>({
  needs: "client",
  check: (ctl) => {
    if (!ctl.bool("interactive")) fromLine(ctl);
  },
  start: (ctl) => {
    if (ctl.bool("interactive")) return readLines(ctl, { watches: [] });
    const asked = fromLine(ctl);
    const watching = begin(ctl, asked);
    return typeof watching === "string" ? ctl.fail(EXIT.badArgs, watching) : { watches: [watching] };
  },
  on: (ctl, state, outcome) => {
    if (outcome.type === "input") return ctl.bool("interactive") ? readLines(ctl, state) : state;
    if (outcome.type !== "watch-events" && outcome.type !== "watch-closed") return state;
    const watching = state.watches.find((one) => one.watch === outcome.watch);
    if (watching === undefined) return state;
    if (outcome.type === "watch-events") {
      told(ctl, watching, outcome.header, outcome.events);
      return state;
    }
    canceled(ctl, outcome);
    if (!ctl.bool("interactive")) ctl.fail(EXIT.interrupted, "watch is canceled by the server");
    return { watches: state.watches.filter((one) => one !== watching) };
  },
});

/** Of the command line. Words after `--` are a program; key and end may come from the environment. */
function fromLine(ctl: Ctl): Asked {
  const { raw } = ctl;
  const at = raw.indexOf("watch");
  const after = at < 0 ? raw : raw.slice(at + 1);
  const separator = after.indexOf("--");
  const key = ctl.env["ETCDCTL_WATCH_KEY"] ?? "";
  if (separator >= 0 && separator === after.length - 1) return ctl.fail(EXIT.badArgs, NO_PROGRAM);
  if (separator < 0 && after.length < 1 && key === "") return ctl.fail(EXIT.badArgs, BAD_NUMBER);
  const program = separator < 0 ? [] : after.slice(separator + 1);
  const own = ctl.words.slice(0, ctl.words.length - program.length);
  if (key !== "" && own.length > 0) return ctl.fail(EXIT.badArgs, CONFLICT);
  const end = ctl.env["ETCDCTL_WATCH_RANGE_END"] ?? "";
  const words = key === "" ? own : end === "" ? [key] : [key, end];
  if (words.length < 1) return ctl.fail(EXIT.badArgs, BAD_NUMBER);
  return { words, prefix: ctl.bool("prefix"), revision: ctl.number("rev"), prevKv: ctl.bool("prev-kv"), program };
}

/** A watch, or why there cannot be one. */
function begin(ctl: Ctl, { words, prefix, revision, prevKv, program }: Asked): Watching | string {
  if (words.length < 1) return BAD_NUMBER;
  if (words.length === 2 && prefix) return "`range_end` and `--prefix` are mutually exclusive";
  let key: Bytes = fromText(words[0] as string);
  let rangeEnd: Bytes = words.length === 2 ? fromText(words[1] as string) : "";
  if (prefix) {
    rangeEnd = key === "" ? FROM_KEY : prefixEnd(key);
    if (key === "") key = "\0";
  }
  return { watch: ctl.client.watch(key, { rangeEnd, startRevision: revision, prevKv }), program };
}

function readLines(ctl: Ctl, from: State): State {
  let state = from;
  for (;;) {
    const line = ctl.stdin.line();
    if (line === null) break;
    state = typed(ctl, state, line);
  }
  return ctl.stdin.ended ? ctl.fail(EXIT.invalidInput, "Error reading watch request line: EOF") : state;
}

function typed(ctl: Ctl, state: State, line: Bytes): State {
  const words = argify(ctl, line).map(toText);
  const no = (text: Bytes): State => {
    ctl.complain(`Invalid command${text}\n`);
    return state;
  };
  if (words.length === 0) return no(`: ${line} (watch and progress supported)`);
  if (words[0] === "progress") {
    ctl.client.requestProgress();
    return state;
  }
  if (words[0] !== "watch") return no(` ${line} (only support watch)`);
  const key = ctl.env["ETCDCTL_WATCH_KEY"] ?? "";
  if (words.length < 2 && key === "") return no(` ${line} (command type or key is not provided)`);
  const watching = begin(ctl, fromTyped(ctl, words.slice(1)));
  if (typeof watching === "string") return no(` ${line} (${watching})`);
  return { watches: [...state.watches, watching] };
}

/** Of a typed line: it has flags of its own, those of the command line count for nothing. */
function fromTyped(ctl: Ctl, line: readonly string[]): Asked {
  const separator = line.indexOf("--");
  if (separator >= 0 && separator === line.length - 1) return ctl.fail(EXIT.badArgs, NO_PROGRAM);
  const parsed = parseFlags(localFlags([WATCH]), line);
  if (!parsed.ok) return ctl.fail(EXIT.badArgs, parsed.error);
  if (parsed.values["help"] === true) return ctl.fail(EXIT.badArgs, "pflag: help requested");
  const program = separator < 0 ? [] : line.slice(separator + 1);
  const own = parsed.words.slice(0, parsed.words.length - program.length);
  if (separator < 0 && own.length === 0) return ctl.fail(EXIT.badArgs, BAD_NUMBER);
  const { prefix, rev, "prev-kv": prevKv } = parsed.values;
  return { words: own, prefix: prefix === true, revision: Number(rev), prevKv: prevKv === true, program };
}

function told(ctl: Ctl, { program }: Watching, header: ResponseHeader | null, events: readonly Event[]): void {
  if (events.length === 0) ctl.print(`progress notify: ${header?.revision ?? 0}\n`);
  ctl.show({ type: "watch", response: create(WatchResponse, { header, events }) });
  if (program.length === 0) return;
  for (const { type, kv } of events) {
    const ran = runProgram(program, {
      ...ctl.env,
      ETCD_WATCH_REVISION: String(header?.revision ?? 0),
      ETCD_WATCH_EVENT_TYPE: quote(type),
      ETCD_WATCH_KEY: quoteBytes(kv?.key ?? ""),
      ETCD_WATCH_VALUE: quoteBytes(kv?.value ?? ""),
    });
    ctl.print(ran.stdout);
    if (ran.error === null) continue;
    ctl.complain(fromText(`command [${program.map(quote).join(" ")}] error (${ran.error})\n`));
    ctl.exit(EXIT.error);
  }
}

interface Closed {
  readonly error: EtcdError | null;
  readonly compactRevision: number;
  readonly header?: ResponseHeader | null;
}

function canceled(ctl: Ctl, { error, compactRevision, header = null }: Closed): void {
  ctl.complain(fromText(`watch was canceled (${error?.message ?? "context canceled"})\n`));
  ctl.show({ type: "watch", response: create(WatchResponse, { header, compactRevision, canceled: true }) });
}
