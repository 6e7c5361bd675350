/**
 * A program as articles would print it: lines of text, each with the steps of the stepped program that it stands for.
 *
 * A listing is written as text. A line may end in `//@` and the labels of its steps, apart by blanks; a `!name` among them
 * is a note on it (the page has a sentence for each, `lab.note.<name>`): what is wrong with the line, or what was mended.
 */
export const LANGUAGES = ["pseudo", "go", "java", "typescript", "cli"] as const;
export type ListingLanguage = (typeof LANGUAGES)[number];

export interface ListingLine {
  readonly text: string;
  /** None for a comment or a brace. */
  readonly steps: readonly string[];
  /** It differs from the other variant of the program, where there is one. */
  readonly differs: boolean;
  readonly notes: readonly string[];
}

/** The listings of one program, by language. */
export type Listings = Readonly<Record<ListingLanguage, string>>;

const MARK = "//@";

/** @param other the other variant's listing in the same language: lines that it has not are marked */
export function parseListing(source: string, other: string | null): readonly ListingLine[] {
  const known = other === null ? null : new Set(linesOf(other).map(({ text }) => text.trim()));
  return linesOf(source).map((line) => ({
    ...line,
    differs: known !== null && line.text.trim() !== "" && !known.has(line.text.trim()),
  }));
}

function linesOf(source: string): readonly Omit<ListingLine, "differs">[] {
  return source
    .replace(/^\n/u, "")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const at = line.lastIndexOf(MARK);
      if (at < 0) return { text: line.trimEnd(), steps: [], notes: [] };
      const marks = line
        .slice(at + MARK.length)
        .trim()
        .split(/\s+/u);
      return {
        text: line.slice(0, at).trimEnd(),
        steps: marks.filter((mark) => mark !== "" && !mark.startsWith("!")),
        notes: marks.filter((mark) => mark.startsWith("!")).map((mark) => mark.slice(1)),
      };
    });
}

/**
 * One of several programs that share a text: empty lines and those that begin with a blank are everybody’s, then those that
 * begin with one of `marks`.
 */
export function variantOf(all: Listings, marks: string): Listings {
  const pick = (text: string): string =>
    text
      .split("\n")
      .filter((line) => line === "" || ` ${marks}`.includes(line.charAt(0)))
      .map((line) => line.slice(1))
      .join("\n");
  const { pseudo, go, java, typescript, cli } = all;
  return { pseudo: pick(pseudo), go: pick(go), java: pick(java), typescript: pick(typescript), cli: pick(cli) };
}
