/** A server's options: those of redis.conf that mean something here, as CONFIG GET and SET show them. */
import { globMatches } from "./glob.ts";
import { lower } from "./bytes.ts";
import { toInt64 } from "./numbers.ts";
import { OK, type Reply, bulks, error } from "./reply.ts";

type Kind = "flag" | "events" | "text" | "fsync" | readonly [least: number, most: number];

interface Option {
  readonly kind: Kind;
  readonly value: string;
  /** Only on the command line. */
  readonly fixed?: true;
}

const INT_MAX = 2_147_483_647;

/** The values are Redis's own, but for `save`: there are no snapshot files here. */
const OPTIONS: Readonly<Record<string, Option>> = {
  "active-expire-effort": { kind: [1, 10], value: "1" },
  appendfilename: { kind: "text", value: "appendonly.aof", fixed: true },
  appendfsync: { kind: "fsync", value: "everysec" },
  appendonly: { kind: "flag", value: "no" },
  "busy-reply-threshold": { kind: [0, INT_MAX], value: "5000" },
  databases: { kind: [1, INT_MAX], value: "16", fixed: true },
  hz: { kind: [1, 500], value: "10" },
  "lua-time-limit": { kind: [0, INT_MAX], value: "5000" },
  maxmemory: { kind: [0, Number.MAX_SAFE_INTEGER], value: "0" },
  "maxmemory-policy": { kind: "text", value: "noeviction" },
  "min-replicas-max-lag": { kind: [0, INT_MAX], value: "10" },
  "min-replicas-to-write": { kind: [0, INT_MAX], value: "0" },
  "notify-keyspace-events": { kind: "events", value: "" },
  port: { kind: [0, 65_535], value: "6379" },
  "repl-backlog-size": { kind: [1, Number.MAX_SAFE_INTEGER], value: "1048576" },
  "repl-ping-replica-period": { kind: [1, INT_MAX], value: "10" },
  "repl-timeout": { kind: [1, INT_MAX], value: "60" },
  "replica-read-only": { kind: "flag", value: "yes" },
  save: { kind: "text", value: "" },
  timeout: { kind: [0, INT_MAX], value: "0" },
};

const ALIASES: Readonly<Record<string, string>> = {
  "slave-read-only": "replica-read-only",
  "min-slaves-to-write": "min-replicas-to-write",
  "min-slaves-max-lag": "min-replicas-max-lag",
  "repl-ping-slave-period": "repl-ping-replica-period",
};

const ALL_EVENTS = "g$lshzxetd";

/** The canonical form of `notify-keyspace-events`, or null for an unknown letter. */
export function eventFlags(text: string): string | null {
  if (!/^[Ag$lshzxetdKEmn]*$/.test(text)) return null;
  const has = (letter: string): boolean => text.includes(letter) || (ALL_EVENTS.includes(letter) && text.includes("A"));
  const letters = ALL_EVENTS.split("");
  const classes = letters.every(has) ? "A" : letters.filter(has).join("");
  const isAll = classes === "A";
  return [classes, ...(isAll ? "KEmn" : "nKEm").split("").filter(has)].join("");
}

export class Options {
  #values: ReadonlyMap<string, string> = new Map(Object.entries(OPTIONS).map(([name, { value }]) => [name, value]));
  #events = "";

  checkpoint(): ReadonlyMap<string, string> {
    return this.#values;
  }
  restore(values: ReadonlyMap<string, string>): void {
    this.#values = values;
    this.#events = values.get("notify-keyspace-events") ?? "";
  }

  text(name: string): string {
    return this.#values.get(name) ?? "";
  }
  number(name: string): number {
    return Number(this.text(name));
  }
  flag(name: string): boolean {
    return this.text(name) === "yes";
  }
  /** The letters of `notify-keyspace-events`. */
  get events(): string {
    return this.#events;
  }

  /** CONFIG GET with patterns. */
  get(patterns: readonly string[]): Reply {
    const found = new Map<string, string>();
    for (const pattern of patterns)
      for (const name of [...Object.keys(OPTIONS), ...Object.keys(ALIASES)]) {
        // One that is no pattern comes back as it was written.
        const shown = lower(pattern) === name ? pattern : name;
        if (globMatches(lower(pattern), name)) found.set(shown, this.text(ALIASES[name] ?? name));
      }
    return bulks([...found].flat());
  }

  /** CONFIG SET: all of them or none. */
  set(pairs: readonly string[]): Reply {
    const next = new Map(this.#values);
    const seen = new Set<string>();
    for (let i = 0; i < pairs.length; i += 2) {
      const [given, value] = [pairs[i] as string, pairs[i + 1] as string];
      const name = ALIASES[lower(given)] ?? lower(given);
      const option = OPTIONS[name];
      if (option === undefined) return error(`ERR Unknown option or number of arguments for CONFIG SET - '${given}'`);
      const failed = (why: string): Reply =>
        error(`ERR CONFIG SET failed (possibly related to argument '${given}') - ${why}`);
      if (seen.has(name)) return failed("duplicate parameter");
      if (option.fixed === true) return failed("can't set immutable config");
      seen.add(name);
      const checked = canonical(option.kind, value);
      if ("why" in checked) return failed(checked.why);
      next.set(name, checked.value);
    }
    this.restore(next);
    return OK;
  }

  /** Options of a command line: `--name value…`. Those that mean nothing here are passed over. */
  read(words: readonly string[]): void {
    const next = new Map(this.#values);
    for (let i = 0; i < words.length; i += 1) {
      if (!words[i]?.startsWith("--")) continue;
      const given = lower((words[i] as string).slice(2));
      const name = ALIASES[given] ?? given;
      const option = OPTIONS[name];
      const value = words[i + 1];
      if (option === undefined || value === undefined || value.startsWith("--")) continue;
      const checked = canonical(option.kind, value);
      if ("value" in checked) next.set(name, checked.value);
    }
    this.restore(next);
  }
}

function canonical(kind: Kind, text: string): { readonly value: string } | { readonly why: string } {
  if (kind === "text") return { value: text };
  if (kind === "flag") {
    const value = lower(text);
    return value === "yes" || value === "no" ? { value } : { why: "argument must be 'yes' or 'no'" };
  }
  if (kind === "fsync") {
    const value = lower(text);
    return ["always", "everysec", "no"].includes(value)
      ? { value }
      : { why: "argument(s) must be one of the following: everysec, always, no" };
  }
  if (kind === "events") {
    const value = eventFlags(text);
    return value === null ? { why: "Invalid event class character. Use 'Ag$lshzxeKEtmdn'." } : { value };
  }
  const number = toInt64(text);
  if (number === null) return { why: "argument couldn't be parsed into an integer" };
  const [least, most] = kind;
  // `hz` is brought into its range without a word.
  if (least === 1 && most === 500) return { value: String(Math.min(most, Math.max(least, Number(number)))) };
  if (number < BigInt(least) || number > BigInt(most))
    return { why: `argument must be between ${least} and ${most} inclusive` };
  return { value: String(number) };
}
