/** What travels, as a picture needs it: a kind for shape and colour, and a few named figures for the label. */
import { unreachable } from "../../base/assert.ts";
import type { Message } from "../../raft/types.ts";
import type { Request, Response } from "../../replica/protocol.ts";
import type { RegisterAnswer, RegisterRequest } from "../../replica/register.ts";
import type { ServiceMessage } from "../../replica/replica.ts";
import type { Segment } from "../../sim/events.ts";
import type { Flight, FlightKind } from "../../trace/view.ts";

export type Described = Pick<Flight, "kind" | "term" | "entryTerms" | "entryCount" | "figures">;

const SHOWN_ENTRIES = 8;

/** Tells what the service of some system sends: over a connection, or to another member. */
export type DescribeData = (data: unknown) => Described;

export function describeMessage(message: Message | ServiceMessage, describeData: DescribeData): Described {
  if (message.type === "service") return describeData(message.data);

  const { term } = message;
  const plain = (kind: FlightKind, figures: Described["figures"]): Described => ({
    kind,
    term,
    entryTerms: [],
    entryCount: 0,
    figures,
  });
  switch (message.type) {
    case "RequestVote":
      return plain(message.pre ? "pre-vote-request" : "vote-request", {
        term,
        lastTerm: message.last.term,
        lastIndex: message.last.index,
      });
    case "RequestVoteReply":
      return plain(message.granted ? "vote-granted" : "vote-refused", { term });
    case "AppendEntries":
      return {
        kind: "append",
        term,
        entryTerms: message.entries.slice(0, SHOWN_ENTRIES).map((entry) => entry.term),
        entryCount: message.entries.length,
        figures: {
          term,
          prevTerm: message.prev.term,
          prevIndex: message.prev.index,
          count: message.entries.length,
          commit: message.leaderCommit,
        },
      };
    case "AppendEntriesReply":
      return message.rejected
        ? plain("append-refused", {
            term,
            index: message.index,
            hintTerm: message.hint.term,
            hintIndex: message.hint.index,
          })
        : plain("append-ok", { term, index: message.index });
    case "Heartbeat":
      return plain("heartbeat", { term, commit: message.leaderCommit });
    case "HeartbeatReply":
      return plain("heartbeat-ok", { term });
    case "InstallSnapshot":
      return plain("snapshot", { term, lastTerm: message.snapshot.last.term, lastIndex: message.snapshot.last.index });
    case "TimeoutNow":
      return plain("timeout-now", { term });
    case "ForwardProposal":
      return { ...plain("forward", { count: message.entries.length }), entryCount: message.entries.length };
    case "ForwardTransfer":
      return plain("forward", { count: 0 });
    case "ReadIndex":
      return plain("read-index", {});
    case "ReadIndexReply":
      return plain("read-index-ok", { index: message.index });
    default:
      return unreachable(message);
  }
}

export function describeSegment(segment: Segment, describeData: DescribeData): Described {
  const plain = (kind: FlightKind, figures: Described["figures"]): Described => ({
    kind,
    term: 0,
    entryTerms: [],
    entryCount: 0,
    figures,
  });
  switch (segment.part) {
    case "open":
    case "accept":
      return plain("connect", { part: segment.part });
    case "close":
    case "reset":
    case "refuse":
      return plain("close", { part: segment.part });
    case "data":
      return describeData(segment.data);
    default:
      return unreachable(segment);
  }
}

/** What the register's clients and members say to each other. */
export function describeRegister(data: unknown): Described {
  const said = data as Request | Response;
  const plain = (kind: FlightKind, figures: Described["figures"]): Described => ({
    kind,
    term: 0,
    entryTerms: [],
    entryCount: 0,
    figures,
  });
  if (said.type === "request") {
    const body = said.body as RegisterRequest;
    return plain("request", {
      request: said.request,
      ...(body.type === "write" ? { value: body.value } : { reads: "value" }),
    });
  }
  if (said.type === "answer")
    return plain("response", { request: said.request, value: (said.answer as RegisterAnswer).value ?? "" });
  return plain("response", { request: said.request, rule: said.why.rule });
}
