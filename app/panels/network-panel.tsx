import { useEffect, useRef, useState } from "react";
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
const LATENCY_MAX_MS = 300;
const CHANCE_MAX = 500_000;

/** How messages between members fare, live; and which links are cut. */
export function NetworkPanel() {
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
  const latency = (label: string, value: number, onChange: (value: number) => void) => (
    <Range
      label={label}
      value={value / MS}
      min={0}
      max={LATENCY_MAX_MS}
      step={1}
      figure={language.millis(value)}
      onChange={(ms) => onChange(ms * MS)}
    />
  );
  const chance = (label: string, name: "lossPerMillion" | "duplicatePerMillion" | "reorderPerMillion") => (
    <Range
      label={label}
      value={quality[name]}
      min={0}
      max={CHANCE_MAX}
      step={5_000}
      figure={language.percent(quality[name])}
      onChange={(value) => change({ [name]: value })}
    />
  );

  return (
    <div className={css["pad"]}>
      <h3>{text("network.heading")}</h3>
      <div className={css["sliders"]}>
        {latency(text("network.latency-min"), quality.latencyMin, (value) =>
          change({ latencyMin: value, latencyMax: Math.max(value, quality.latencyMax) }),
        )}
        {latency(text("network.latency-max"), quality.latencyMax, (value) =>
          change({ latencyMax: value, latencyMin: Math.min(value, quality.latencyMin) }),
        )}
        {chance(text("network.loss"), "lossPerMillion")}
        {chance(text("network.duplicate"), "duplicatePerMillion")}
        {chance(text("network.reorder"), "reorderPerMillion")}
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
