/** A console's screen: what was typed, and what the commands wrote. */
import { toText } from "../../etcd/api/bytes.ts";
import type { ConsoleEvent } from "../../etcd/ctl/console.ts";
import type { Command, ConsoleInput, ProcessId } from "../../sim/command.ts";
import type { TraceEvent, WorldEvent } from "../../sim/events.ts";
import { CONSOLE_LINES_SHOWN, type ConsoleLine, type ConsoleView } from "../../trace/etcd-view.ts";

/** Longer lines are cut: nobody reads them, and they would fill the page. */
const LINE_MAX = 4_000;

export function emptyConsole(id: ProcessId): ConsoleView {
  return { id, lines: [], busy: false, code: null };
}

export class Screen {
  #view: ConsoleView;
  #changed = false;

  constructor(view: ConsoleView) {
    this.#view = view;
  }

  get view(): ConsoleView {
    return this.#view;
  }

  /** Null when nothing changed since the last call. */
  takeChange(): ConsoleView | null {
    if (!this.#changed) return null;
    this.#changed = false;
    return this.#view;
  }

  add({ process, event }: TraceEvent): void {
    const told = event as ConsoleEvent | WorldEvent;
    if (told.type === "command") return this.#typed(told.command);
    if (process !== this.#view.id) return;
    switch (told.type) {
      case "console-started":
        return this.#set({ busy: true });
      case "console-output":
        return this.#write(told.stream, toText(told.text));
      case "console-exit":
        return this.#set({ busy: false, code: told.code });
      case "crashed":
      case "panicked":
        return this.#set({ busy: false });
      default:
    }
  }

  #typed(command: Command): void {
    if (command.type !== "console" || command.client !== this.#view.id) return;
    const text = echo(command.input);
    if (text !== null) this.#write(this.#view.busy ? "input" : "typed", `${text}\n`);
  }

  /** Goes on where the last line ended, if that is of the same stream and was not whole. */
  #write(stream: ConsoleLine["stream"], text: string): void {
    const lines = [...this.#view.lines];
    const last = lines.at(-1);
    let n = last === undefined ? 0 : last.n + 1;
    let rest = text;
    if (last !== undefined && last.stream === stream && !last.text.endsWith("\n")) {
      lines.pop();
      n = last.n;
      rest = last.text + text;
    }
    for (const line of rest.split(/(?<=\n)/)) {
      lines.push({ n, stream, text: line.length > LINE_MAX ? `${line.slice(0, LINE_MAX)}…\n` : line });
      n += 1;
    }
    this.#set({ lines: lines.slice(-CONSOLE_LINES_SHOWN) });
  }

  #set(change: Partial<ConsoleView>): void {
    this.#changed = true;
    this.#view = { ...this.#view, ...change };
  }
}

function echo(input: ConsoleInput): string | null {
  switch (input.do) {
    case "line":
      return input.text;
    case "run":
      return ["etcdctl", ...input.args].join(" ");
    case "type":
      return input.text;
    case "interrupt":
      return "^C";
    case "eof":
      return "^D";
  }
}
