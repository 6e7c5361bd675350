import type { Command, Flight } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { Button } from "../ui/button.tsx";
import css from "./stage.module.css";
import { flightTitle } from "./words.ts";

/** Hold or release, drop, duplicate. */
export function FlightActs({ flight }: { readonly flight: Flight }) {
  const language = useLanguage();
  const { text } = language;
  const player = usePlayer();
  const title = flightTitle(language, flight);
  const held = flight.heldAt !== null;
  const act = (action: string, command: Command, disabled = false) => (
    <Button
      aria-label={text("flight.act", { action, title })}
      disabled={disabled}
      onClick={() => void player.dispatch(command)}
    >
      {action}
    </Button>
  );
  const lost = flight.lost !== null;
  return (
    <div className={css["acts"]}>
      {held
        ? act(text("flight.release"), { type: "release", message: flight.id })
        : act(text("flight.hold"), { type: "hold", message: flight.id }, lost)}
      {act(text("flight.drop"), { type: "drop", message: flight.id }, lost)}
      {act(text("flight.duplicate"), { type: "duplicate", message: flight.id }, lost)}
    </div>
  );
}
