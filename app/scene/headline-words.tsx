import { useMemo } from "react";
import type { LabView } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { inPast } from "../store/selectors.ts";
import { share } from "../store/share.ts";
import { useView, useWorld } from "../store/use.ts";
import type { Mirror } from "../store/mirror.ts";
import { type Headline, headline } from "./headline.ts";
import { memoLast } from "./memo-last.ts";
import css from "./stage.module.css";
import { headlineDetails, standingWords } from "./words.ts";

type Servers = LabView["servers"];
const NO_SERVERS: Servers = [];

/** Keeps the identity of a headline that says the same as the one before. */
function headlineSelector(): (view: Mirror) => Headline {
  let last: Headline | null = null;
  const make = memoLast((members: Mirror["members"], cuts: Mirror["cuts"], servers: Servers) =>
    headline({ members, cuts, servers }),
  );
  return (view) => {
    last = share(last, make(view.members, view.cuts, view.lab?.servers ?? NO_SERVERS));
    return last;
  };
}

/** Who leads, or why nobody does: the first thing one reads. */
export function HeadlineWords() {
  const language = useLanguage();
  const head = useView(useMemo(() => headlineSelector(), []));
  const past = useWorld(inPast);
  const { standing } = head;
  return (
    <div className={css["headline"]} data-standing={standing.is}>
      <h2>{standingWords(language, standing)}</h2>
      <p>
        {standing.is === "starting" ? language.text("app.opening") : headlineDetails(language, head)}
        {past ? <span className={css["past"]}>{language.text("head.past")}</span> : null}
      </p>
    </div>
  );
}
