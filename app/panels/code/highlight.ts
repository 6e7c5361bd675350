/** Colours for code: highlight.js with the grammars of the languages that programs are shown in, and no other. */
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import typescript from "highlight.js/lib/languages/typescript";

hljs.registerLanguage("go", go);
hljs.registerLanguage("java", java);
hljs.registerLanguage("typescript", typescript);
hljs.registerLanguage("cli", bash);

/** A stretch of a line and what it is; null for plain text. */
export interface Token {
  readonly text: string;
  readonly kind: string | null;
}

/**
 * Each line of a program as tokens. The library marks the whole text, so that a comment over several lines is one; its
 * HTML is taken apart again, since nothing on this page is set as HTML.
 */
export function highlightLines(code: string, language: string): readonly (readonly Token[])[] {
  if (hljs.getLanguage(language) === undefined) return code.split("\n").map((text) => [{ text, kind: null }]);
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true });
  const lines: Token[][] = [[]];
  const open: string[] = [];
  for (const [, tag, text] of value.matchAll(/<(\/?span[^>]*)>|([^<]+)/gu)) {
    if (tag === "/span") open.pop();
    else if (tag !== undefined) open.push(/hljs-([\w-]+)/u.exec(tag)?.[1] ?? "");
    else
      for (const [i, part] of unescapeHtml(text ?? "")
        .split("\n")
        .entries()) {
        if (i > 0) lines.push([]);
        if (part !== "") lines.at(-1)?.push({ text: part, kind: open.at(-1) ?? null });
      }
  }
  return lines;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

function unescapeHtml(text: string): string {
  return text.replace(/&([\w#]+);/gu, (whole, name: string) => ENTITIES[name] ?? whole);
}
