/** Whether a command makes sense now. What it says of figures holds for commands from anywhere, links included. */
import { type Micros, SECOND } from "../base/units.ts";
import type { CellState } from "./cell.ts";
import {
  BROKEN_RULES,
  type Command,
  type ConsoleInput,
  type DiskQuality,
  type LinkQuality,
  type MembershipStep,
  type MessageId,
  type ProcessId,
  type Refusal,
  type Settings,
} from "./command.ts";
import type { ProcessSpec } from "./process.ts";

/** What the check asks of a world. */
export interface Facts {
  kindOf(id: ProcessId): ProcessSpec["kind"] | null;
  stateOf(id: ProcessId): CellState | null;
  messageState(id: MessageId): "travelling" | "held" | "data-on-connection" | "on-connection" | "gone";
  isCut(from: ProcessId, to: ProcessId): boolean;
  anyCut(): boolean;
  newestFileBytes(id: ProcessId): number;
}

export const LATENCY_MAX: Micros = 10 * SECOND;
export const FSYNC_MAX: Micros = 10 * SECOND;
export const DRIFT_PPM_MAX = 500_000;
export const VALUE_LENGTH_MAX = 1_000;

export function checkCommand(command: Command, world: Facts): Refusal | null {
  switch (command.type) {
    case "crash":
    case "panic":
      return known(command.process, world) ?? running(command.process, world);
    case "restart":
      return known(command.process, world) ?? down(command.process, world, "already-running");
    case "pause":
      return (
        known(command.process, world) ??
        running(command.process, world) ??
        (world.stateOf(command.process) === "paused" ? { rule: "already-paused", process: command.process } : null)
      );
    case "resume":
      return (
        known(command.process, world) ??
        (world.stateOf(command.process) === "paused" ? null : { rule: "not-paused", process: command.process })
      );
    case "wipe":
      return (
        known(command.process, world) ?? member(command.process, world) ?? down(command.process, world, "must-be-down")
      );
    case "corrupt": {
      const bytes = world.kindOf(command.process) === null ? 0 : world.newestFileBytes(command.process);
      return (
        known(command.process, world) ??
        member(command.process, world) ??
        down(command.process, world, "must-be-down") ??
        integer("back", command.back, 1, Number.MAX_SAFE_INTEGER) ??
        (command.back > bytes ? { rule: "disk-too-short", process: command.process, bytes } : null)
      );
    }
    case "spawn":
      if (world.kindOf(command.process) !== "member") return { rule: "unknown-process", process: command.process };
      return world.stateOf(command.process) === "absent" ? null : { rule: "already-present", process: command.process };
    case "retire":
      return known(command.process, world) ?? member(command.process, world);
    case "membership":
      return (
        known(command.member, world) ??
        member(command.member, world) ??
        up(command.member, world) ??
        steps(command.steps, world)
      );
    case "transfer":
      return known(command.to, world) ?? member(command.to, world) ?? up(command.to, world);
    case "snapshot":
      return known(command.process, world) ?? member(command.process, world) ?? up(command.process, world);
    case "settings":
      return settings(command.settings);
    case "cut":
    case "mend": {
      if (command.links.length === 0) return { rule: "invalid", field: "links", problem: "empty" };
      for (const { from, to } of command.links) {
        if (from === to || world.kindOf(from) === null || world.kindOf(to) === null)
          return { rule: "no-such-link", from, to };
      }
      const cut = command.links.map(({ from, to }) => world.isCut(from, to));
      if (command.type === "cut") return cut.every(Boolean) ? { rule: "links-already-cut" } : null;
      return cut.some(Boolean) ? null : { rule: "nothing-to-mend" };
    }
    case "partition": {
      const seen = new Set<ProcessId>();
      for (const id of command.groups.flat()) {
        const problem = known(id, world);
        if (problem !== null) return problem;
        if (seen.has(id)) return { rule: "invalid", field: "groups", problem: "named-twice" };
        seen.add(id);
      }
      return command.groups.length < 2 || command.groups.some((group) => group.length === 0)
        ? { rule: "invalid", field: "groups", problem: "too-few" }
        : null;
    }
    case "heal":
      return world.anyCut() ? null : { rule: "nothing-to-mend" };
    case "network":
      return linkQuality(command.quality);
    case "link": {
      const { from, to } = command.link;
      if (from === to || world.kindOf(from) === null || world.kindOf(to) === null)
        return { rule: "no-such-link", from, to };
      return linkQuality(command.quality);
    }
    case "disk":
      return known(command.process, world) ?? member(command.process, world) ?? diskQuality(command.quality);
    case "clock":
      return (
        known(command.process, world) ??
        integer("driftPpm", command.driftPpm, -DRIFT_PPM_MAX, DRIFT_PPM_MAX) ??
        integer("jumpUs", command.jumpUs, -3600 * SECOND, 3600 * SECOND)
      );
    case "hold":
    case "release":
    case "drop":
    case "duplicate":
      return message(command.type, command.message, world);
    case "hold-back":
    case "step-client":
      return client(command.client, null, world);
    case "fence":
      return client(command.process, null, world);
    case "read":
      return client(command.client, command.member, world);
    case "write": {
      const problem = client(command.client, command.member, world);
      if (problem !== null) return problem;
      if (command.value.length === 0) return { rule: "invalid", field: "value", problem: "empty" };
      if (command.value.length > VALUE_LENGTH_MAX) return { rule: "invalid", field: "value", problem: "too-long" };
      return null;
    }
    case "console":
      return client(command.client, null, world) ?? consoleInput(command.input);
  }
}

function known(process: ProcessId, world: Facts): Refusal | null {
  return world.kindOf(process) === null || world.stateOf(process) === "absent"
    ? { rule: "unknown-process", process }
    : null;
}

/** A client that can be asked, and the member that it shall go to, if it is told. */
function client(id: ProcessId, at: ProcessId | null, world: Facts): Refusal | null {
  if (world.kindOf(id) === null) return { rule: "unknown-process", process: id };
  if (world.kindOf(id) !== "client") return { rule: "not-a-client", process: id };
  const problem = at === null ? null : (known(at, world) ?? member(at, world) ?? up(at, world));
  return problem ?? (world.stateOf(id) === "running" ? null : { rule: "already-down", process: id });
}

function up(process: ProcessId, world: Facts): Refusal | null {
  const state = world.stateOf(process);
  return state === "crashed" || state === "panicked" ? { rule: "member-down", process } : null;
}

function steps(list: readonly MembershipStep[], world: Facts): Refusal | null {
  for (const { id } of list) if (world.kindOf(id) !== "member") return { rule: "unknown-process", process: id };
  const ids = new Set(list.map(({ id }) => id));
  return ids.size < list.length ? { rule: "invalid", field: "steps", problem: "named-twice" } : null;
}

function settings({ broken, readOnly }: Settings): Refusal | null {
  if (readOnly !== "safe" && readOnly !== "lease-based")
    return { rule: "invalid", field: "readOnly", problem: "unknown" };
  const known: readonly string[] = BROKEN_RULES;
  return broken.every((rule) => known.includes(rule)) ? null : { rule: "invalid", field: "broken", problem: "unknown" };
}

function member(process: ProcessId, world: Facts): Refusal | null {
  return world.kindOf(process) === "member" ? null : { rule: "not-a-member", process };
}

function running(process: ProcessId, world: Facts): Refusal | null {
  const state = world.stateOf(process);
  return state === "running" || state === "paused" ? null : { rule: "already-down", process };
}

function down(process: ProcessId, world: Facts, rule: "already-running" | "must-be-down"): Refusal | null {
  const state = world.stateOf(process);
  return state === "crashed" || state === "panicked" ? null : { rule, process };
}

function message(type: "hold" | "release" | "drop" | "duplicate", id: MessageId, world: Facts): Refusal | null {
  const state = world.messageState(id);
  if (state === "gone") return { rule: "no-such-message", message: id };
  // Data may be kept from arriving by hand, as if somebody between the two ends had taken it out.
  if (state === "on-connection" || (state === "data-on-connection" && type === "duplicate"))
    return { rule: "message-on-connection", message: id };
  if (type === "hold" && state === "held") return { rule: "message-is-held", message: id };
  if (type === "release" && state !== "held") return { rule: "message-not-held", message: id };
  return null;
}

function linkQuality(quality: LinkQuality): Refusal | null {
  return (
    integer("latencyMin", quality.latencyMin, 1, LATENCY_MAX) ??
    integer("latencyMax", quality.latencyMax, quality.latencyMin, LATENCY_MAX) ??
    integer("lossPerMillion", quality.lossPerMillion, 0, 1_000_000) ??
    integer("duplicatePerMillion", quality.duplicatePerMillion, 0, 1_000_000) ??
    integer("reorderPerMillion", quality.reorderPerMillion, 0, 1_000_000)
  );
}

function diskQuality(quality: DiskQuality): Refusal | null {
  return (
    integer("fsyncMin", quality.fsyncMin, 1, FSYNC_MAX) ??
    integer("fsyncMax", quality.fsyncMax, quality.fsyncMin, FSYNC_MAX)
  );
}

function integer(field: string, value: number, min: number, max: number): Refusal | null {
  return Number.isSafeInteger(value) && value >= min && value <= max
    ? null
    : { rule: "invalid", field, problem: "out-of-range" };
}

/** More than etcd takes in one request. */
export const CONSOLE_TEXT_MAX = 4_000_000;
export const CONSOLE_WORDS_MAX = 10_000;

function consoleInput(input: ConsoleInput): Refusal | null {
  const texts = input.do === "run" ? [...input.args, input.stdin ?? ""] : "text" in input ? [input.text] : [];
  if (texts.length > CONSOLE_WORDS_MAX) return { rule: "invalid", field: "args", problem: "too-many" };
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return length > CONSOLE_TEXT_MAX ? { rule: "invalid", field: "text", problem: "too-long" } : null;
}
