/**
 * The style sheets' colours for canvas layers: each token is resolved by the browser, once, and again after the theme,
 * the contrast or the size of type changed.
 */
const TOKENS = [
  "paper",
  "raised",
  "sunk",
  "line",
  "line-strong",
  "mark",
  "ink",
  "ink-2",
  "ink-3",
  "leading",
  "leading-ink",
  "leading-wash",
  "asking",
  "asking-wash",
  "following",
  "keeping",
  "harm",
  "accent",
  "on-term",
  "focus",
] as const;

export type Token = (typeof TOKENS)[number];

export interface Palette extends Readonly<Record<Token, string>> {
  /** The fill of the nth of a series: neighbours stand apart. */
  readonly series: (n: number) => string;
  readonly font: string;
  readonly mono: string;
  /** Root type in units of 16 px. */
  readonly scale: number;
}

let cached: Palette | null = null;
const listeners = new Set<() => void>();
let watching = false;

function resolve(): Palette {
  const probe = document.createElement("span");
  probe.dataset["term"] = "";
  probe.hidden = true;
  probe.style.setProperty("forced-color-adjust", "none");
  document.body.append(probe);
  const colour = (property: string): string => {
    probe.style.setProperty("color", `var(${property})`);
    return getComputedStyle(probe).color;
  };
  const tokens = Object.fromEntries(TOKENS.map((token) => [token, colour(`--${token}`)])) as Record<Token, string>;
  const root = getComputedStyle(document.documentElement);
  const font = root.getPropertyValue("--font").trim();
  const mono = root.getPropertyValue("--mono").trim();
  const scale = Number.parseFloat(root.fontSize) / 16;
  probe.remove();

  const known = new Map<number, string>();
  const series = (n: number): string => {
    const seen = known.get(n);
    if (seen !== undefined) return seen;
    document.body.append(probe);
    probe.style.setProperty("--term", String(n));
    const made = colour("--term-color");
    probe.remove();
    known.set(n, made);
    return made;
  };
  return { ...tokens, series, font, mono, scale };
}

function changed(): void {
  cached = null;
  for (const listener of listeners) listener();
}

function watch(): void {
  if (watching) return;
  watching = true;
  for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)", "(prefers-contrast: more)"])
    window.matchMedia(query).addEventListener("change", changed);
  new MutationObserver(changed).observe(document.documentElement, {
    attributes: true,
    attributeFilter: ["data-theme", "data-present"],
  });
}

export function palette(): Palette {
  watch();
  cached ??= resolve();
  return cached;
}

export function onPaletteChange(listener: () => void): () => void {
  watch();
  listeners.add(listener);
  return () => listeners.delete(listener);
}
