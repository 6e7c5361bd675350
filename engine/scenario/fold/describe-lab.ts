/** What travels in a lock lab, as a picture needs it: words of its system, and writes to the resource. */
import type { ClientCommand, ServerMessage } from "../../redis/protocol.ts";
import type { FlightKind } from "../../trace/view.ts";
import type { DescribeData, Described } from "./describe.ts";
import { describeEtcd } from "./describe-etcd.ts";

type ResourceSaid =
  | { readonly type: "resource-write"; readonly value: string; readonly token: string | null }
  | { readonly type: "resource-answer"; readonly taken: boolean };

const SHOWN = 32;

/** @param others of the lab's system */
export function describeLab(others: DescribeData): DescribeData {
  return (data) => {
    const said = data as ResourceSaid;
    if (said.type === "resource-write")
      return plain("request", { value: said.token === null ? said.value : `${said.value} #${said.token}` });
    if (said.type === "resource-answer") return plain("response", { value: said.taken ? "taken" : "refused" });
    return others(data);
  };
}

export function describeRedis(data: unknown): Described {
  const said = data as ClientCommand | ServerMessage | { readonly type: string };
  if (said.type === "cmd" && "args" in said)
    return plain("request", { value: commandWords(said.args).slice(0, SHOWN) });
  if (said.type === "reply" && "reply" in said) {
    const { reply } = said;
    return plain("response", { value: "value" in reply ? String(reply.value).slice(0, SHOWN) : reply.type });
  }
  return plain("response", { value: said.type });
}

/** A script by the commands that it calls: its text is long, and all begin alike. */
function commandWords(args: readonly string[]): string {
  const [name = "", script = "", , ...rest] = args;
  if (name.toUpperCase() !== "EVAL") return args.join(" ");
  const calls = new Set(
    [...script.matchAll(/redis\.p?call\(\s*["'](\w+)/g)].map(([, call = ""]) => call.toUpperCase()),
  );
  return `EVAL {${[...calls].join(" ")}} ${rest.join(" ")}`;
}

/** Any system's words by their name alone. */
export function describePlainly(data: unknown): Described {
  const { type } = data as { readonly type?: string };
  return plain("request", { value: type ?? "" });
}

export const DESCRIBE_FAMILY: Readonly<Record<string, DescribeData>> = {
  etcd: describeEtcd,
  redis: describeRedis,
};

function plain(kind: FlightKind, figures: Described["figures"]): Described {
  return { kind, term: 0, entryTerms: [], entryCount: 0, figures };
}
