/** What is said of commands: why one is refused, and how answers and values look in one line. */
import { lower, untilNul } from "./bytes.ts";
import type { CommandSpec } from "./call.ts";
import { type Reply, wrongArity } from "./reply.ts";
import { CONTAINERS } from "./table.ts";
import type { Value } from "./values.ts";

export function unknownCommand(args: readonly string[]): string {
  const SHOWN = 128;
  let list = "";
  for (const arg of args.slice(1)) {
    if (list.length >= SHOWN) break;
    list += `'${untilNul(arg.slice(0, SHOWN - list.length))}' `;
  }
  return `ERR unknown command '${untilNul((args[0] ?? "").slice(0, SHOWN))}', with args beginning with: ${list}`.replaceAll(
    /[\r\n]/g,
    " ",
  );
}

/** Null, or the error of a wrong count of arguments or an unknown subcommand. */
export function arityError(spec: CommandSpec, args: readonly string[]): string | null {
  const container = CONTAINERS[spec.name];
  if (container !== undefined && args.length >= 2) {
    const sub = container.find(({ name }) => name === lower(args[1] as string));
    if (sub === undefined)
      return `ERR unknown subcommand '${(args[1] as string).slice(0, 128)}'. Try ${spec.name.toUpperCase()} HELP.`;
    return fits(sub.arity, args.length) ? null : wrongArity(`${spec.name}|${sub.name}`);
  }
  return fits(spec.arity, args.length) ? null : wrongArity(spec.name);
}

function fits(arity: number, count: number): boolean {
  return arity >= 0 ? count === arity : count >= -arity;
}

export function inOneLine(reply: Reply): string {
  switch (reply.type) {
    case "array":
      return `[${reply.items.map(inOneLine).join(", ")}]`;
    case "nil":
    case "nilarray":
      return "(nil)";
    default:
      return String(reply.value);
  }
}

export function inShort(value: Value): string {
  switch (value.type) {
    case "string":
      return value.text;
    case "hash":
      return [...value.fields].map(([field, text]) => `${field}=${text}`).join(", ");
    case "list":
      return value.items.join(", ");
    case "set":
      return [...value.members].join(", ");
    case "zset":
      return [...value.scores].map(([member, score]) => `${member}=${score}`).join(", ");
  }
}
