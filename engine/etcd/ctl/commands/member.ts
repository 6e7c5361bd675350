/** `member …`. */
import { fromText } from "../../api/bytes.ts";
import type { MemberId } from "../../api/ids.ts";
import type { MemberAddResponse, MemberListResponse } from "../../api/messages.ts";
import type { Of } from "../../api/proto.ts";
import type { Ticket } from "../../client/channel.ts";
import { command, type Ctl, EXIT } from "../ctl.ts";
import { quote } from "../go/quote.ts";
import { parseUint64 } from "../go/strconv.ts";
import { urlsProblem } from "../go/urls.ts";
import { unary } from "./unary.ts";

/** The one word, as a member. */
function memberOf(ctl: Ctl): MemberId {
  if (ctl.words.length !== 1) return ctl.fail(EXIT.badArgs, "member ID is not provided");
  const id = parseUint64(ctl.words[0] as string, 16);
  return id.ok
    ? (id.value as MemberId)
    : ctl.fail(EXIT.badArgs, `bad member ID arg (${id.error}), expecting ID in Hex`);
}

function peerUrls(ctl: Ctl): readonly string[] {
  const urls = ctl.text("peer-urls");
  return urls === "" ? ctl.fail(EXIT.badArgs, "member peer urls not provided") : urls.split(",");
}

/** The client library looks at them before it asks anybody. */
function goodUrls(ctl: Ctl, urls: readonly string[]): readonly string[] {
  const problem = urlsProblem(urls);
  return problem === null ? urls : ctl.fail(EXIT.error, problem);
}

export const list = unary({
  method: "Cluster/MemberList",
  limited: true,
  body: () => ({}),
  show: (ctl, response) => ctl.show({ type: "member-list", response }),
});

export const remove = unary({
  method: "Cluster/MemberRemove",
  limited: true,
  body: (ctl) => ({ id: memberOf(ctl) }),
  show: (ctl, response) => ctl.show({ type: "member-remove", response, id: memberOf(ctl) }),
});

export const promote = unary({
  method: "Cluster/MemberPromote",
  limited: true,
  body: (ctl) => ({ id: memberOf(ctl) }),
  show: (ctl, response) => ctl.show({ type: "member-promote", response, id: memberOf(ctl) }),
});

function updated(ctl: Ctl): { readonly id: MemberId; readonly peerUrls: readonly string[] } {
  const id = memberOf(ctl);
  return { id, peerUrls: peerUrls(ctl) };
}

export const update = command<Ticket>({
  needs: "client",
  check: (ctl) => void updated(ctl),
  start: (ctl) => {
    const { id, peerUrls: urls } = updated(ctl);
    return ctl.call("Cluster/MemberUpdate", { id, peerUrls: goodUrls(ctl, urls) }, { deadline: ctl.deadline() });
  },
  on: (ctl, ticket, outcome) => {
    if (outcome.type === "failed" && outcome.ticket === ticket) return ctl.fail(EXIT.error, outcome.error);
    if (outcome.type !== "answer" || outcome.ticket !== ticket) return ticket;
    ctl.show({ type: "member-update", response: outcome.body as Of<typeof MemberListResponse>, id: memberOf(ctl) });
    return ctl.exit();
  },
});

function newMember(ctl: Ctl): { readonly name: string; readonly urls: readonly string[] } {
  if (ctl.words.length < 1) return ctl.fail(EXIT.badArgs, "member name not provided");
  if (ctl.words.length > 1) {
    const guesses = ctl.words.filter((word) => word.startsWith("http"));
    const hint = guesses.map((word) => `, did you mean --peer-urls=${word}`).join("");
    return ctl.fail(EXIT.badArgs, `too many arguments${hint}`);
  }
  return { name: ctl.words[0] as string, urls: peerUrls(ctl) };
}

export const add = command<Ticket>({
  needs: "client",
  check: (ctl) => void newMember(ctl),
  start: (ctl) => {
    const urls = goodUrls(ctl, newMember(ctl).urls);
    const body = { peerUrls: urls, isLearner: ctl.bool("learner") };
    return ctl.call("Cluster/MemberAdd", body, { deadline: ctl.deadline() });
  },
  on: (ctl, ticket, outcome) => {
    if (outcome.type === "failed" && outcome.ticket === ticket) return ctl.fail(EXIT.error, outcome.error);
    if (outcome.type !== "answer" || outcome.ticket !== ticket) return ticket;
    const response = outcome.body as Of<typeof MemberAddResponse>;
    ctl.show({ type: "member-add", response });
    if (ctl.format === "simple") printStart(ctl, response);
    return ctl.exit();
  },
});

/** How to start the new member. The answer's own list is new; any other's may be old (etcd 11186, pull request 11638). */
function printStart(ctl: Ctl, { member: added, members }: Of<typeof MemberAddResponse>): void {
  const { name, urls } = newMember(ctl);
  const cluster = members.flatMap(({ id, name: known, peerUrls: at }) =>
    at.map((url) => `${id === added?.id ? name : known}=${url}`),
  );
  ctl.print(
    fromText(
      `\nETCD_NAME=${quote(name)}\nETCD_INITIAL_CLUSTER=${quote(cluster.join(","))}\n` +
        `ETCD_INITIAL_ADVERTISE_PEER_URLS=${quote(urls.join(","))}\nETCD_INITIAL_CLUSTER_STATE="existing"\n`,
    ),
  );
}
