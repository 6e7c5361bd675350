/**
 * Keys that act on the whole page. They stand back where the focused control uses them itself, inside dialogs, and when
 * they are turned off.
 */
import { useEffect } from "react";
import type { StepKind } from "../../engine/index.ts";
import { usePlayer } from "../player/use.ts";
import { chiefId } from "../store/chief.ts";
import { useWorldId } from "../store/use.ts";
import { readWorld } from "../store/worlds.ts";

const TYPING = "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]";
const ARROWS =
  "[role=tab], [role=slider], [role=application], [role=menu], [role=radio], input[type=radio], input[type=range]";
const PRESSED = "button, a[href], summary, [role=button], [role=tab], [role=menuitem], input";
const CLOSED = "dialog, [role=dialog], [role=menu]";

/** Whether the control that has the focus wants this key for itself. */
export function keyIsTaken(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest(CLOSED) !== null || target.closest(TYPING) !== null) return true;
  if (key.startsWith("Arrow")) return target.closest(ARROWS) !== null;
  return key === " " && target.closest(PRESSED) !== null;
}

interface Props {
  readonly on: boolean;
  readonly onHelp: () => void;
}

/** Shows nothing: it only listens. */
export default function PageKeys({ on, onHelp }: Props) {
  const player = usePlayer();
  const world = useWorldId();
  useEffect(() => {
    const act = (event: KeyboardEvent): boolean => {
      const kind: StepKind = event.altKey ? "role" : event.shiftKey ? "message" : "event";
      switch (event.key) {
        case " ":
          player.toggle();
          return true;
        case "ArrowRight":
          void player.step(kind);
          return true;
        case "ArrowLeft":
          void player.stepBack(kind);
          return true;
        case "?":
          onHelp();
          return true;
        case "l":
        case "L": {
          const chief = chiefId(readWorld(world).view);
          if (chief !== null) void player.dispatch({ type: "crash", process: chief });
          return true;
        }
        case "h":
        case "H":
          void player.dispatch({ type: "heal" });
          return true;
        default:
          return false;
      }
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
      if (!on && event.key !== "?") return;
      if (event.altKey && !event.key.startsWith("Arrow")) return;
      if (keyIsTaken(event.target, event.key)) return;
      if (act(event)) event.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [on, onHelp, player, world]);
  return null;
}
