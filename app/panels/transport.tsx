import { useState } from "react";
import type { StepKind } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { inPast, playingOf, specOf, speedOf, statusOf } from "../store/selectors.ts";
import { type Speed, SPEEDS } from "../store/speed.ts";
import { stepKey } from "../store/step-name.ts";
import { useView, useWorld } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/select.tsx";
import { Icon } from "../ui/icon.tsx";
import { Clock } from "./clock.tsx";
import css from "./transport.module.css";

const STEPS: readonly StepKind[] = ["event", "message", "role"];
const LAB_STEPS: readonly StepKind[] = [...STEPS, "lock", "step:*"];

const FRACTIONS: Readonly<Record<string, string>> = { 0.001: "1/1000", 0.01: "1/100", 0.0333: "1/30", 0.1: "1/10" };

/** Play, pause, step, speed; the moment shown and the seed. */
export function Transport() {
  const { text } = useLanguage();
  const player = usePlayer();
  const playing = useWorld(playingOf);
  const speed = useWorld(speedOf);
  const open = useWorld((world) => statusOf(world) === "open");
  const past = useWorld(inPast);
  const seed = useWorld((world) => specOf(world).seed);
  const steps = useView((view) => view.lab !== null) ? LAB_STEPS : STEPS;
  const [kind, setKind] = useState<StepKind>("event");
  const stepName = (step: StepKind): string => text(`transport.step.${stepKey(step)}`);
  return (
    <section className={css["transport"]} aria-label={text("transport.label")}>
      <div className={css["row"]}>
        <Button
          square
          disabled={!open}
          aria-label={text("transport.back", { kind: stepName(kind) })}
          onClick={() => void player.stepBack(kind)}
        >
          <Icon name="back" />
        </Button>
        <Button
          look="solid"
          square
          disabled={!open}
          aria-label={text(playing ? "transport.pause" : "transport.play")}
          onClick={() => player.toggle()}
        >
          <Icon name={playing ? "pause" : "play"} />
        </Button>
        <Button
          square
          disabled={!open}
          aria-label={text("transport.forward", { kind: stepName(kind) })}
          onClick={() => void player.step(kind)}
        >
          <Icon name="forward" />
        </Button>
        <div className={css["speed"]}>
          <Select
            bare
            label={text("transport.speed")}
            value={String(speed)}
            options={SPEEDS.map((value) => ({
              value: String(value),
              text:
                value === "max"
                  ? text("transport.speed.max")
                  : text("transport.speed.times", { speed: FRACTIONS[value] ?? value }),
            }))}
            onChange={(value) => player.setSpeed(speedNamed(value))}
          />
        </div>
      </div>
      <div className={css["row"]}>
        <Clock />
        <span className={css["seed"]}>
          {text("transport.virtual")} · {text("transport.seed", { seed })}
        </span>
      </div>
      <div className={css["steps"]} role="radiogroup" aria-label={text("transport.step")}>
        {/* Those of labs have their words later than the first: a choice is offered once it has a name. */}
        {steps.filter(stepName).map((step) => (
          <label key={step}>
            <input type="radio" name="step" checked={kind === step} onChange={() => setKind(step)} />
            <span>{stepName(step)}</span>
          </label>
        ))}
        {past ? <PresentButton /> : null}
      </div>
    </section>
  );
}

function speedNamed(value: string): Speed {
  return SPEEDS.find((speed) => String(speed) === value) ?? 0.1;
}

function PresentButton() {
  const { text } = useLanguage();
  const player = usePlayer();
  const head = useWorld((world) => world.headAt);
  return (
    <button type="button" className={css["present"]} onClick={() => void player.seek(head)}>
      {text("transport.present")}
    </button>
  );
}
