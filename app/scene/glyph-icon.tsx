import { useId } from "react";
import { GLYPHS, LOST, RESPONSE_REFUSED, type Stroke } from "./glyphs.ts";
import css from "./stage.module.css";

const SHAPES = { ...GLYPHS, lost: LOST, "response-refused": RESPONSE_REFUSED };

/** A message's mark among words. */
export function GlyphIcon({ kind }: { readonly kind: keyof typeof SHAPES }) {
  const id = useId();
  return (
    <svg className={css["glyph"]} width="20" height="20" viewBox="-10.5 -10.5 21 21" aria-hidden>
      {SHAPES[kind].map(({ d, paint, ink }: Stroke, i) => (
        <path
          key={`${id}-${i}`}
          d={d}
          fill={paint === "solid" ? `var(--${ink})` : paint === "line" ? "none" : "var(--raised)"}
          stroke={paint === "solid" ? "none" : `var(--${ink})`}
          strokeWidth={1.7}
          strokeDasharray={paint === "dashed" ? "2.4 2.4" : undefined}
        />
      ))}
    </svg>
  );
}
