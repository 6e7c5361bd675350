import { Fragment, type ReactNode } from "react";
import type { Part } from "./language.ts";

/** A sentence with the names in it set in bold: those of the figures that `strong` says are names. */
export function Sentence({ parts, strong }: { readonly parts: readonly Part[]; readonly strong: ReadonlySet<string> }) {
  const pieces: ReactNode[] = parts.map((part, i) => {
    const key = `${i} ${typeof part === "string" ? "" : part.name}`;
    if (typeof part === "string") return <Fragment key={key}>{part}</Fragment>;
    return strong.has(part.name) ? <b key={key}>{part.value}</b> : <Fragment key={key}>{part.value}</Fragment>;
  });
  return <>{pieces}</>;
}
