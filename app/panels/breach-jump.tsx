import type { ViolationView } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { Button } from "../ui/button.tsx";

/** Shows the moment of the event that broke the rule. */
export function BreachJump({ violation }: { readonly violation: ViolationView }) {
  const { text, seconds } = useLanguage();
  const player = usePlayer();
  const go = (): void => {
    player.pause();
    void player.seek(violation.at);
  };
  return <Button onClick={go}>{text("rules.jump", { event: violation.event, time: seconds(violation.at) })}</Button>;
}
