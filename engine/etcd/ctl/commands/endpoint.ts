/** `endpoint …` and `defrag`: one call to each endpoint, or to each member of the member list. */
import { unreachable } from "../../../base/assert.ts";
import type { Micros } from "../../../base/units.ts";
import { fromText } from "../../api/bytes.ts";
import { type EtcdError, errorName } from "../../api/errors.ts";
import type { HashKVResponse, MemberListResponse, StatusResponse } from "../../api/messages.ts";
import type { Of } from "../../api/proto.ts";
import type { Ticket } from "../../client/channel.ts";
import { command, type Command, type Ctl, errorText, EXIT } from "../ctl.ts";
import { durationText } from "../go/duration.ts";
import type { Health } from "../format/shown.ts";

interface Asking {
  /** Of the member list; null once it is known whom to ask. */
  readonly listing: Ticket | null;
  readonly endpoints: readonly string[];
  /** The call to the endpoint at hand, the first of those not yet asked. */
  readonly ticket: Ticket | null;
  readonly asked: number;
  readonly answers: readonly { readonly endpoint: string; readonly body: object }[];
  /** Of the last one that failed. */
  readonly error: EtcdError | null;
}

type What = "status" | "hash" | "defrag";

/** One after the other; what fails is told at once, the answers at the end. */
function oneByOne(what: What): Command {
  return command<Asking>({
    needs: "client",
    start: (ctl) => {
      const state: Asking = { listing: null, endpoints: [], ticket: null, asked: 0, answers: [], error: null };
      if (what === "defrag" && ctl.text("data-dir") !== "") return withoutServer(ctl);
      if (!ctl.bool("cluster")) return next(ctl, what, { ...state, endpoints: ctl.list("endpoints") });
      return { ...state, listing: askList(ctl) };
    },
    on: (ctl, state, outcome) => {
      if (outcome.type !== "answer" && outcome.type !== "failed") return state;
      if (outcome.ticket === state.listing) {
        if (outcome.type === "failed") return noList(ctl, outcome.error);
        return next(ctl, what, { ...state, listing: null, endpoints: clientUrls(outcome.body) });
      }
      if (outcome.ticket !== state.ticket) return state;
      const endpoint = state.endpoints[state.asked] as string;
      if (outcome.type === "answer") {
        if (what === "defrag") ctl.print(fromText(`Finished defragmenting etcd member[${endpoint}]\n`));
        const answers = [...state.answers, { endpoint, body: outcome.body }];
        return next(ctl, what, { ...state, answers, asked: state.asked + 1 });
      }
      ctl.complain(fromText(failure(what, endpoint, outcome.error)));
      return next(ctl, what, { ...state, error: outcome.error, asked: state.asked + 1 });
    },
  });
}

function failure(what: What, endpoint: string, error: EtcdError): string {
  const message = errorText(error);
  switch (what) {
    case "status":
      return `Failed to get the status of endpoint ${endpoint} (${message})\n`;
    case "hash":
      return `Failed to get the hash of endpoint ${endpoint} (${message})\n`;
    case "defrag":
      return `Failed to defragment etcd member[${endpoint}] (${message})\n`;
    default:
      return unreachable(what);
  }
}

function next(ctl: Ctl, what: What, state: Asking): Asking {
  const endpoint = state.endpoints[state.asked];
  if (endpoint === undefined) return shown(ctl, what, state);
  const limits = { deadline: ctl.deadline(), endpoint };
  switch (what) {
    case "status":
      return { ...state, ticket: ctl.call("Maintenance/Status", {}, limits) };
    case "hash":
      return { ...state, ticket: ctl.call("Maintenance/HashKV", { revision: ctl.number("rev") }, limits) };
    case "defrag":
      return { ...state, ticket: ctl.call("Maintenance/Defragment", {}, limits) };
    default:
      return unreachable(what);
  }
}

function shown(ctl: Ctl, what: What, { answers, error }: Asking): never {
  if (what === "status")
    ctl.show({
      type: "status",
      list: answers.map(({ endpoint, body }) => ({ endpoint, response: body as StatusResponse })),
    });
  if (what === "hash") {
    ctl.show({
      type: "hash",
      list: answers.map(({ endpoint, body }) => ({ endpoint, response: body as HashKVResponse })),
    });
    if (error !== null) ctl.fail(EXIT.error, error);
  }
  return ctl.exit(error === null ? EXIT.success : EXIT.error);
}

/** Of the file area only: a folder that `snapshot restore` wrote has nothing to be defragmented. */
function withoutServer(ctl: Ctl): never {
  const path = `${ctl.text("data-dir")}/member/snap/db`;
  if (ctl.files.read(path) !== null) return ctl.exit();
  return ctl.panic(`cannot open database at ${path} (open ${path}: no such file or directory)`);
}

const askList = (ctl: Ctl): Ticket => ctl.call("Cluster/MemberList", {}, { deadline: ctl.deadline() });

function noList(ctl: Ctl, { message }: EtcdError): never {
  return ctl.fail(EXIT.error, `failed to fetch endpoints from etcd cluster member list: ${message}`);
}

const clientUrls = (body: object): readonly string[] =>
  (body as Of<typeof MemberListResponse>).members.flatMap((member) => member.clientUrls);

export const status = oneByOne("status");
export const hashkv = oneByOne("hash");
export const defrag = oneByOne("defrag");

interface Checking {
  readonly listing: Ticket | null;
  /** Why the members did not let the user in; null: they did. */
  readonly refusal: string | null;
  readonly since: Micros;
  readonly pending: readonly { readonly endpoint: string; readonly ticket: Ticket }[];
  /** In the order in which the answers came. */
  readonly list: readonly Health[];
}

/** All at once: whether each can read through the quorum. To be refused for want of a permission is healthy enough. */
export const health = command<Checking>({
  needs: "client",
  debug: false,
  start: (ctl) => {
    if (ctl.bool("cluster")) return { listing: askList(ctl), refusal: null, since: 0, pending: [], list: [] };
    return askAll(ctl, ctl.list("endpoints"));
  },
  on: (ctl, state, outcome) => {
    if (outcome.type !== "answer" && outcome.type !== "failed") return state;
    if (outcome.ticket === state.listing) {
      if (outcome.type === "failed") return noList(ctl, outcome.error);
      const endpoints = clientUrls(outcome.body);
      return state.refusal === null ? askAll(ctl, endpoints) : denied(ctl, endpoints, state.refusal);
    }
    const asked = state.pending.find(({ ticket }) => ticket === outcome.ticket);
    if (asked === undefined) return state;
    const error = outcome.type === "failed" ? outcome.error : null;
    const healthy = error === null || errorName(error) === "PermissionDenied";
    const took = durationText(ctl.client.now - state.since);
    const checked: Health = { endpoint: asked.endpoint, healthy, took, error: healthy ? "" : (error?.message ?? "") };
    const list = [...state.list, checked];
    const pending = state.pending.filter((one) => one !== asked);
    return pending.length > 0 ? { ...state, pending, list } : allChecked(ctl, list);
  },
  // the member list is asked for without a name
  refused: (ctl, { message }) => {
    if (!ctl.bool("cluster")) return denied(ctl, ctl.list("endpoints"), message);
    return { listing: askList(ctl), refusal: message, since: 0, pending: [], list: [] };
  },
});

function askAll(ctl: Ctl, endpoints: readonly string[]): Checking {
  if (endpoints.length === 0) return allChecked(ctl, []);
  const deadline = ctl.deadline();
  const pending = endpoints.map((endpoint) => ({
    endpoint,
    ticket: ctl.call("KV/Range", { key: "health" }, { deadline, endpoint }),
  }));
  return { listing: null, refusal: null, since: ctl.client.now, pending, list: [] };
}

function denied(ctl: Ctl, endpoints: readonly string[], error: string): never {
  const list = endpoints.map((endpoint): Health => ({ endpoint, healthy: false, took: "", error }));
  return allChecked(ctl, list);
}

function allChecked(ctl: Ctl, list: readonly Health[]): never {
  ctl.show({ type: "health", list });
  return list.every(({ healthy }) => healthy) ? ctl.exit() : ctl.fail(EXIT.error, "unhealthy cluster");
}
