import type { ReactNode } from "react";
import "../ui/css.ts";
import css from "./stage.module.css";

type Mark = "ring" | "beat" | "term" | "volatile" | "committed";

const DRAWN: Readonly<Record<Mark, ReactNode>> = {
  ring: (
    <>
      <circle r="7.5" fill="none" stroke="var(--line)" strokeWidth="3" />
      <path
        d="M0-7.5a7.5 7.5 0 1 1-7.5 7.5"
        fill="none"
        stroke="var(--following)"
        strokeWidth="3"
        strokeLinecap="round"
      />
    </>
  ),
  beat: (
    <>
      <circle r="7.5" fill="none" stroke="var(--line)" strokeWidth="3" />
      <path
        d="M0-7.5a7.5 7.5 0 1 1-7.5 7.5"
        fill="none"
        stroke="var(--leading)"
        strokeWidth="1.8"
        strokeLinecap="round"
      />
    </>
  ),
  term: (
    <>
      {[1, 2, 3].map((term) => (
        <rect
          key={term}
          data-term=""
          style={{ "--term": term }}
          className={css["swatch"]}
          x={-10 + (term - 1) * 7}
          y="-4"
          width="6"
          height="8"
          rx="1.5"
        />
      ))}
    </>
  ),
  volatile: (
    <rect
      x="-7"
      y="-7"
      width="14"
      height="14"
      rx="2"
      fill="none"
      stroke="var(--ink-3)"
      strokeWidth="1.5"
      strokeDasharray="2 2"
    />
  ),
  committed: (
    <>
      <rect
        data-term=""
        style={{ "--term": 2 }}
        className={css["swatch"]}
        x="-6"
        y="-9"
        width="12"
        height="12"
        rx="2"
      />
      <path d="M-7 7H7" stroke="var(--ink)" strokeWidth="1.6" />
      <circle cy="7" r="2.6" fill="var(--ink)" />
    </>
  ),
};

/** The marks of members and logs, for the list that explains them. */
export function MarkIcon({ mark }: { readonly mark: Mark }) {
  return (
    <svg className={css["glyph"]} width="20" height="20" viewBox="-10.5 -10.5 21 21" aria-hidden>
      {DRAWN[mark]}
    </svg>
  );
}
