/** `lease …`: grant, revoke, look, list, keep alive. */
import type { LeaseId } from "../../api/ids.ts";
import { fromText } from "../../api/bytes.ts";
import { errorName, etcdError } from "../../api/errors.ts";
import { LeaseKeepAliveRequest, type LeaseKeepAliveResponse } from "../../api/messages.ts";
import { create } from "../../api/proto.ts";
import type { Ticket } from "../../client/channel.ts";
import { isHalt } from "../../client/policy.ts";
import { command, type Ctl, EXIT } from "../ctl.ts";
import { parseInt64 } from "../go/strconv.ts";
import { lease16 } from "../format/simple.ts";
import { unary } from "./unary.ts";

/** The one word, as a lease. */
function leaseOf(ctl: Ctl, missing: string): LeaseId {
  if (ctl.words.length !== 1) return ctl.fail(EXIT.badArgs, missing);
  const id = parseInt64(ctl.words[0] as string, 16);
  return id.ok ? (id.value as LeaseId) : ctl.fail(EXIT.badArgs, `bad lease ID arg (${id.error}), expecting ID in Hex`);
}

function ttlOf(ctl: Ctl): number {
  if (ctl.words.length !== 1) return ctl.fail(EXIT.badArgs, "lease grant command needs TTL argument");
  const ttl = parseInt64(ctl.words[0] as string, 10);
  return ttl.ok ? Number(ttl.value) : ctl.fail(EXIT.badArgs, `bad TTL (${ttl.error})`);
}

export const grant = unary({
  method: "Lease/LeaseGrant",
  limited: true,
  body: (ctl) => ({ ttl: ttlOf(ctl) }),
  show: (ctl, response) => ctl.show({ type: "grant", response }),
  refused: (ctl, { message }) => ctl.fail(EXIT.error, `failed to grant lease (${message})`),
});

const revokedLease = (ctl: Ctl) => leaseOf(ctl, "lease revoke command needs 1 argument");

export const revoke = unary({
  method: "Lease/LeaseRevoke",
  limited: true,
  body: (ctl) => ({ id: revokedLease(ctl) }),
  show: (ctl, response) => ctl.show({ type: "revoke", response, id: revokedLease(ctl) }),
  refused: (ctl, { message }) => ctl.fail(EXIT.error, `failed to revoke lease (${message})`),
});

const LOOK = "lease timetolive command needs lease ID as argument";

export const timeToLive = unary({
  method: "Lease/LeaseTimeToLive",
  limited: false,
  early: (ctl) => {
    if (ctl.words.length !== 1) ctl.fail(EXIT.badArgs, LOOK);
  },
  body: (ctl) => ({ id: leaseOf(ctl, LOOK), keys: ctl.bool("keys") }),
  show: (ctl, response) => ctl.show({ type: "time-to-live", response, keys: ctl.bool("keys") }),
  refused: (ctl, error) => ctl.fail(EXIT.badConnection, error),
});

export const list = unary({
  method: "Lease/LeaseLeases",
  limited: false,
  body: () => ({}),
  show: (ctl, response) => ctl.show({ type: "leases", response }),
  refused: (ctl, error) => ctl.fail(EXIT.badConnection, error),
});

const KEPT = "lease keep-alive command needs lease ID as argument";

interface Keeping {
  readonly id: LeaseId;
  /** Of the stream of `--once`; else the client's keeper does it. */
  readonly ticket: Ticket | null;
}

export const keepAlive = command<Keeping>({
  needs: "client",
  check: (ctl) => void leaseOf(ctl, KEPT),
  start: (ctl) => {
    const id = leaseOf(ctl, KEPT);
    if (ctl.bool("once")) return { id, ticket: ask(ctl, id) };
    ctl.client.keepAlive(id);
    return { id, ticket: null };
  },
  on: (ctl, state, outcome) => {
    switch (outcome.type) {
      case "kept-alive":
        ctl.show({ type: "keep-alive", response: outcome.response });
        return state;
      case "keep-alive-ended":
        if (ctl.format === "simple") ctl.print(fromText(`lease ${lease16(state.id)} expired or revoked.\n`));
        return ctl.exit();
      case "message": {
        if (outcome.ticket !== state.ticket) return state;
        const response = outcome.body as LeaseKeepAliveResponse;
        if (response.ttl <= 0) return ctl.fail(EXIT.badConnection, etcdError("LeaseNotFound"));
        ctl.show({ type: "keep-alive", response });
        return ctl.exit();
      }
      case "ended":
        if (outcome.ticket !== state.ticket) return state;
        if (outcome.error !== null && (isHalt(outcome.error) || errorName(outcome.error) === "NotSupportedForLearner"))
          return ctl.fail(EXIT.badConnection, outcome.error);
        return { ...state, ticket: ask(ctl, state.id) };
      default:
        return state;
    }
  },
});

function ask(ctl: Ctl, id: LeaseId): Ticket {
  const ticket = ctl.client.open("Lease/LeaseKeepAlive");
  ctl.client.send(ticket, create(LeaseKeepAliveRequest, { id }));
  return ticket;
}
