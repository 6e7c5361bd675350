import { type ReactNode, useEffect, useRef, useState } from "react";
import { type LinkQuality, MS, type ProcessId } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { cuts as cutsOf, network as networkOf } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import { Range } from "../ui/field.tsx";
import css from "./panels.module.css";

/** A hand on a slider is one command, not fifty: it goes out when the hand rests. */
const REST_MS = 180;
/** In milliseconds. */
const LATENCY = { min: 0, max: 300, step: 1 };
/** In millionths. */
const CHANCE = { min: 0, max: 500_000, step: 5_000 };
const CHANCES = [
  ["lossPerMillion", "network.loss"],
  ["duplicatePerMillion", "network.duplicate"],
  ["reorderPerMillion", "network.reorder"],
] as const;

/** How messages between members fare, live; and which links are cut. */
export default function NetworkPanel({ children }: { readonly children?: ReactNode }) {
  const language = useLanguage();
  const { text } = language;
  const player = usePlayer();
  const shown = useView(networkOf);
  const cuts = useView(cutsOf);
  const [draft, setDraft] = useState<LinkQuality | null>(null);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const quality = draft ?? shown;

  const change = (part: Partial<LinkQuality>): void => {
    const next = { ...quality, ...part };
    setDraft(next);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      void player.dispatch({ type: "network", quality: next }).finally(() => setDraft(null));
    }, REST_MS);
  };
  return (
    <div className={css["pad"]}>
      {children}
      <h3>{text("network.heading")}</h3>
      <div className={css["sliders"]}>
        <Range
          label={text("network.latency-min")}
          {...LATENCY}
          value={quality.latencyMin / MS}
          figure={language.millis(quality.latencyMin)}
          onChange={(ms) => change({ latencyMin: ms * MS, latencyMax: Math.max(ms * MS, quality.latencyMax) })}
        />
        <Range
          label={text("network.latency-max")}
          {...LATENCY}
          value={quality.latencyMax / MS}
          figure={language.millis(quality.latencyMax)}
          onChange={(ms) => change({ latencyMax: ms * MS, latencyMin: Math.min(ms * MS, quality.latencyMin) })}
        />
        {CHANCES.map(([name, label]) => (
          <Range
            key={name}
            label={text(label)}
            {...CHANCE}
            value={quality[name]}
            figure={language.percent(quality[name])}
            onChange={(value) => change({ [name]: value })}
          />
        ))}
      </div>
      <p className={css["quiet"]}>{text("network.live")}</p>
      <h3>{text("network.links")}</h3>
      {cuts.size === 0 ? <p className={css["quiet"]}>{text("network.whole")}</p> : null}
      <ul className={css["cuts"]}>
        {[...cuts].map((key) => {
          const [from = "", to = ""] = key.split(">");
          return (
            <li key={key}>
              <span>
                {from} → {to}
              </span>
              <Button
                look="quiet"
                aria-label={text("network.mend.label", { from, to })}
                onClick={() =>
                  void player.dispatch({ type: "mend", links: [{ from: from as ProcessId, to: to as ProcessId }] })
                }
              >
                {text("network.mend")}
              </Button>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
