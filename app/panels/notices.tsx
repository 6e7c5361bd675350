import { useEffect } from "react";
import type { Language } from "../i18n/language.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { problemsOf, refusedOf } from "../store/selectors.ts";
import type { Problem } from "../store/problem.ts";
import { useWorld } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import css from "./panels.module.css";

const SHOWN_MS = 8_000;

/** Commands that were refused, with the reason; and what went wrong outside the simulation. */
export function Notices() {
  const language = useLanguage();
  const { text } = language;
  const player = usePlayer();
  const refused = useWorld(refusedOf);
  const problems = useWorld(problemsOf);
  const serial = refused?.serial ?? null;
  useEffect(() => {
    if (serial === null) return undefined;
    const timer = window.setTimeout(() => player.dismissRefusal(), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [serial, player]);
  const close = (onClick: () => void) => (
    <Button look="quiet" square aria-label={text("app.dismiss")} onClick={onClick}>
      <Icon name="close" size={12} />
    </Button>
  );
  return (
    <div className={css["notices"]}>
      <div role="status">
        {refused === null ? null : (
          <p key={refused.serial} className={css["notice"]}>
            <span>
              {language.sayText("refusal", refused.why.rule, { ...refused.why })} {text("refusal.unchanged")}
            </span>
            {close(() => player.dismissRefusal())}
          </p>
        )}
      </div>
      <div role="alert">
        {problems.map((problem) => {
          const words = problemWords(language, problem);
          return (
            <p key={words} className={css["notice"]} data-harm="">
              <span>{words}</span>
              {close(() => player.dismissProblem(problem))}
            </p>
          );
        })}
      </div>
    </div>
  );
}

function problemWords({ text, number }: Language, problem: Problem): string {
  switch (problem.kind) {
    case "engine-start":
    case "engine-failed":
      return text(`problem.${problem.kind}`, { detail: problem.detail });
    case "no-workers":
      return text("problem.no-workers");
    case "nothing-to-step-to":
      return text("problem.nothing-to-step-to", { step: text(`transport.step.${problem.step}`) });
    case "diverged":
      return text("problem.diverged", { expected: problem.expected, actual: problem.actual, n: problem.n });
    case "parameter":
      return text("problem.parameter", { name: problem.name, value: problem.value });
    case "link": {
      const { link } = problem;
      switch (link.why) {
        case "too-large":
          return text("problem.link.too-large", { limit: number(link.limit) });
        case "not-valid":
          return text("problem.link.not-valid", { path: link.path });
        case "other-version":
          return text("problem.link.other-version", { version: link.version });
        case "not-replayable":
          return text("problem.link.not-replayable", { detail: link.detail });
        default:
          return text(`problem.link.${link.why}`);
      }
    }
    default:
      return text("problem.unknown", { detail: JSON.stringify(problem) });
  }
}
