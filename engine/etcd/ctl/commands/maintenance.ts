/** `alarm …` and `move-leader`. */
import type { Micros } from "../../../base/units.ts";
import type { MemberId } from "../../api/ids.ts";
import type { AlarmMember, AlarmResponse, StatusResponse } from "../../api/messages.ts";
import type { Ticket } from "../../client/channel.ts";
import { command, type Ctl, EXIT } from "../ctl.ts";
import { parseUint64 } from "../go/strconv.ts";
import { unary } from "./unary.ts";

export const alarmList = unary({
  method: "Maintenance/Alarm",
  limited: true,
  body: (ctl) => {
    if (ctl.words.length > 0) ctl.fail(EXIT.badArgs, "alarm list command accepts no arguments");
    return { action: "GET" } as const;
  },
  show: (ctl, { alarms }) => ctl.show({ type: "alarm", alarms }),
});

interface Disarming {
  readonly ticket: Ticket;
  readonly deadline: Micros;
  /** Those still to be disarmed; null until they are known. */
  readonly left: readonly AlarmMember[] | null;
  readonly disarmed: readonly AlarmMember[];
}

/** Asks which alarms there are, and disarms one after the other. */
export const alarmDisarm = command<Disarming>({
  needs: "client",
  check: (ctl) => {
    if (ctl.words.length > 0) ctl.fail(EXIT.badArgs, "alarm disarm command accepts no arguments");
  },
  start: (ctl) => {
    const deadline = ctl.deadline();
    return {
      ticket: ctl.call("Maintenance/Alarm", { action: "GET" }, { deadline }),
      deadline,
      left: null,
      disarmed: [],
    };
  },
  on: (ctl, state, outcome) => {
    if (outcome.type === "failed" && outcome.ticket === state.ticket) return ctl.fail(EXIT.error, outcome.error);
    if (outcome.type !== "answer" || outcome.ticket !== state.ticket) return state;
    const { alarms } = outcome.body as AlarmResponse;
    const [first, ...left] = state.left ?? alarms;
    const disarmed = state.left === null ? [] : [...state.disarmed, ...alarms];
    if (first === undefined) {
      ctl.show({ type: "alarm", alarms: disarmed });
      return ctl.exit();
    }
    const { memberId, alarm } = first;
    const ticket = ctl.call(
      "Maintenance/Alarm",
      { action: "DEACTIVATE", memberId, alarm },
      { deadline: state.deadline },
    );
    return { ...state, ticket, left, disarmed };
  },
});

interface Moving {
  readonly pc: "look" | "move";
  readonly ticket: Ticket;
  readonly deadline: Micros;
  /** The endpoint that is asked whether it leads. */
  readonly at: number;
  readonly leader: MemberId | null;
}

function targetOf(ctl: Ctl): MemberId {
  if (ctl.words.length !== 1) return ctl.fail(EXIT.badArgs, "move-leader command needs 1 argument");
  const target = parseUint64(ctl.words[0] as string, 16);
  return target.ok ? (target.value as MemberId) : ctl.fail(EXIT.badArgs, target.error);
}

/** Looks for the leader among the endpoints, and asks it to hand over. */
export const moveLeader = command<Moving>({
  needs: "client",
  check: (ctl) => void targetOf(ctl),
  start: (ctl) => ask(ctl, 0, ctl.deadline()),
  on: (ctl, state, outcome) => {
    if (outcome.type === "failed" && outcome.ticket === state.ticket) return ctl.fail(EXIT.error, outcome.error);
    if (outcome.type !== "answer" || outcome.ticket !== state.ticket) return state;
    const { deadline } = state;
    if (state.pc === "move") {
      ctl.show({ type: "move-leader", from: state.leader as MemberId, to: targetOf(ctl) });
      return ctl.exit();
    }
    const { header, leader } = outcome.body as StatusResponse;
    if (header?.memberId !== leader) return ask(ctl, state.at + 1, deadline);
    const endpoint = ctl.list("endpoints")[state.at] as string;
    const ticket = ctl.call("Maintenance/MoveLeader", { targetId: targetOf(ctl) }, { deadline, endpoint });
    return { ...state, pc: "move", ticket, leader };
  },
});

function ask(ctl: Ctl, at: number, deadline: Micros): Moving {
  const endpoints = ctl.list("endpoints");
  const endpoint = endpoints[at];
  if (endpoint === undefined) return ctl.fail(EXIT.badArgs, `no leader endpoint given at [${endpoints.join(" ")}]`);
  return { pc: "look", ticket: ctl.call("Maintenance/Status", {}, { deadline, endpoint }), deadline, at, leader: null };
}
