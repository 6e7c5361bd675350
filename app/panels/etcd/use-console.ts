/** What a person can do at the run's console. */
import type { ConsoleView } from "../../../engine/index.ts";
import { usePlayer } from "../../player/use.ts";
import { useView } from "../../store/use.ts";

export interface ConsoleActs {
  readonly view: ConsoleView;
  /** A line at the prompt, or for the command that runs. */
  readonly line: (text: string) => void;
  readonly interrupt: () => void;
  readonly eof: () => void;
  /** A command of its own: what runs in the foreground is interrupted first. */
  readonly run: (command: string) => void;
}

/** Null where a run has no console. */
export function useConsole(): ConsoleActs | null {
  const player = usePlayer();
  const view = useView(({ etcd }) => etcd?.console ?? null);
  if (view === null) return null;
  const { id: client, busy } = view;
  const interrupt = (): void => void player.dispatch({ type: "console", client, input: { do: "interrupt" } });
  const line = (text: string): void => void player.dispatch({ type: "console", client, input: { do: "line", text } });
  return {
    view,
    line,
    interrupt,
    eof: () => void player.dispatch({ type: "console", client, input: { do: "eof" } }),
    run: (command) => {
      if (busy) interrupt();
      line(command);
    },
  };
}
