/** What the notices say: fetched with the first of them. */
import { stepKey } from "../store/step-name.ts";
import { type ReactNode, useEffect } from "react";
import type { Language } from "../i18n/language.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import type { LinkProblem, Problem } from "../store/problem.ts";
import type { Refused } from "../store/worlds.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import css from "./panels.module.css";

const SHOWN_MS = 8_000;

/** One command that was refused, or what went wrong. */
export default function NoticeList({ shown }: { readonly shown: Refused | readonly Problem[] }) {
  return "why" in shown ? <RefusalNotice refused={shown} /> : <ProblemNotices problems={shown} />;
}

function RefusalNotice({ refused }: { readonly refused: Refused }) {
  const language = useLanguage();
  const player = usePlayer();
  const { why } = refused;
  useEffect(() => {
    const timer = window.setTimeout(() => player.dismissRefusal(), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [player]);
  return (
    <Notice onClose={() => player.dismissRefusal()}>
      {language.sayText("refusal", why.rule, { ...why })} {language.text("refusal.unchanged")}
    </Notice>
  );
}

function ProblemNotices({ problems }: { readonly problems: readonly Problem[] }) {
  const language = useLanguage();
  const player = usePlayer();
  return problems.map((problem) => {
    const words = problemWords(language, problem);
    return (
      <Notice key={words} harm onClose={() => player.dismissProblem(problem)}>
        {words}
      </Notice>
    );
  });
}

interface NoticeProps {
  readonly harm?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function Notice({ harm = false, onClose, children }: NoticeProps) {
  const { text } = useLanguage();
  return (
    <p className={css["notice"]} data-harm={harm ? "" : undefined}>
      <span>{children}</span>
      <Button look="quiet" square aria-label={text("app.dismiss")} onClick={onClose}>
        <Icon name="close" size={12} />
      </Button>
    </p>
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
      return text("problem.nothing-to-step-to", { step: text(`transport.step.${stepKey(problem.step)}`) });
    case "diverged":
      return text("problem.diverged", { expected: problem.expected, actual: problem.actual, n: problem.n });
    case "parameter":
      return text("problem.parameter", { name: problem.name, value: problem.value });
    case "link":
      return text(problem.kept ? "problem.link.kept" : "problem.link.new-run", {
        why: linkWords({ text, number }, problem.link),
      });
    default:
      return text("problem.unknown", { detail: JSON.stringify(problem) });
  }
}

function linkWords({ text, number }: Pick<Language, "text" | "number">, link: LinkProblem): string {
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
