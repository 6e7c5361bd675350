/**
 * A program's listing in one language: lines, each with the steps that it stands for, so that every thread's cursor has a
 * line. Published and mended programs share one text: a line that begins with `-` is only in the published one, with `+`
 * only in the mended one; ` @ ` at its end names its steps, and `!` among them the fault that a line has or mends.
 */
import type { Label } from "../program.ts";

export const LANGUAGES = ["pseudo", "go", "java", "typescript", "shell"] as const;
export type Language = (typeof LANGUAGES)[number];

export interface ListingLine {
  readonly text: string;
  readonly steps: readonly Label[];
  /** It is not so in the other program. */
  readonly differs: boolean;
  /** Names a sentence that tells the fault. */
  readonly fault: string | null;
}

const MARK = " @ ";

export function parseListing(text: string, variant: "published" | "mended"): readonly ListingLine[] {
  const other = variant === "published" ? "+" : "-";
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith(other))
    .map((line): ListingLine => {
      const at = line.lastIndexOf(MARK);
      const words =
        at < 0
          ? []
          : line
              .slice(at + MARK.length)
              .split(" ")
              .filter((word) => word !== "");
      const fault = words.find((word) => word.startsWith("!"));
      return {
        text: (at < 0 ? line.slice(1) : line.slice(1, at)).trimEnd(),
        steps: words.filter((word) => !word.startsWith("!")),
        differs: !line.startsWith(" "),
        fault: fault?.slice(1) ?? null,
      };
    });
}

/** The first line on which a thread at this step stands; null when the listing does not have it. */
export function lineOf(listing: readonly ListingLine[], step: Label): number | null {
  const at = listing.findIndex(({ steps }) => steps.includes(step));
  return at < 0 ? null : at;
}
