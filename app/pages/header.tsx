import { Suspense, useState } from "react";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { setLang, useLanguage } from "../i18n/use-text.ts";
import { specOf } from "../store/selectors.ts";
import { Subjects } from "./subjects.tsx";
import { useStarted } from "../store/use-started.ts";
import { useWorld } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { setTheme, THEMES, useTheme } from "../ui/theme.ts";
import { useMedia } from "../ui/use-media.ts";
import css from "./pages.module.css";

const RulesLight = lazyWorded(() => import("../panels/rules-light.tsx"));
const ShareDialog = lazyWorded(() => import("../panels/share-dialog.tsx"));

interface Props {
  readonly onHelp: () => void;
  readonly onRules: () => void;
}

export function Header({ onHelp, onRules }: Props) {
  const { text, find, lang } = useLanguage();
  const spec = useWorld(specOf);
  const started = useStarted();
  const theme = useTheme();
  const roomy = useMedia("(min-width: 64rem)");
  const [dialog, setDialog] = useState<"share" | "embed" | null>(null);
  const [present, setPresent] = useState(() => document.documentElement.dataset["present"] !== undefined);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "auto";
  const togglePresent = (): void => {
    if (present) delete document.documentElement.dataset["present"];
    else document.documentElement.dataset["present"] = "";
    setPresent(!present);
  };
  return (
    <header className={css["head"]}>
      <h1 className={css["brand"]}>
        <Brand />
        {text("app.name")}
      </h1>
      <Subjects />
      <p className={css["crumb"]}>
        <span>
          {spec.config.lab === undefined
            ? text("app.run", {
                members: spec.config.members,
                timing: text(`cluster.timing.${spec.config.timing}`),
                seed: spec.seed,
              })
            : text("lab.crumb", { name: find(`lab.system.${spec.config.lab.system}`) ?? "", seed: spec.seed })}
        </span>
      </p>
      <div className={css["actions"]}>
        <Suspense fallback={null}>{started ? <RulesLight onOpen={onRules} /> : null}</Suspense>
        <Button onClick={() => setDialog("share")}>{text("share.button")}</Button>
        {roomy ? <Button onClick={() => setDialog("embed")}>{text("embed.button")}</Button> : null}
        {roomy ? (
          <Button look="quiet" square aria-label={text("app.present")} aria-pressed={present} onClick={togglePresent}>
            <Icon name="present" />
          </Button>
        ) : null}
        <span className={css["theme"]}>
          <Button
            look="quiet"
            square
            aria-label={text("app.theme.label", {
              theme: text(`app.theme.${theme}`),
              next: text(`app.theme.${next}`),
            })}
            onClick={() => setTheme(next)}
          >
            <Icon name={theme} />
          </Button>
        </span>
        <Button look="quiet" square aria-label={text("app.keys.label")} aria-keyshortcuts="?" onClick={onHelp}>
          ?
        </Button>
        <Button
          look="quiet"
          lang={lang === "en" ? "zh-CN" : "en"}
          aria-label={text("app.language.label")}
          onClick={() => void setLang(lang === "en" ? "zh-CN" : "en")}
        >
          {text("app.language")}
        </Button>
      </div>
      {dialog === null ? null : (
        <Suspense fallback={null}>
          <ShareDialog what={dialog} onClose={() => setDialog(null)} />
        </Suspense>
      )}
    </header>
  );
}

/** A ring that waits for its last step: the timer, and the lock. */
function Brand() {
  return (
    <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden>
      <circle
        cx="10"
        cy="10"
        r="8.2"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeDasharray="38 14"
        transform="rotate(-120 10 10)"
      />
      <rect x="6.6" y="8.6" width="6.8" height="5.4" rx="1.3" fill="currentColor" />
      <path d="M7.9 8.6V7.3a2.1 2.1 0 0 1 4.2 0v1.3" fill="none" stroke="currentColor" strokeWidth="1.3" />
    </svg>
  );
}
