/**
 * The usage texts: etcdctl's own layout, and cobra's plain one, which shows where `txn` reads requests.
 *
 * etcdctl's goes through Go's tabwriter with tabs for padding: cells of neighbouring lines share a column as long as
 * they end with a tab, and a column is as wide as its widest cell and one more, up to the next stop of eight.
 */
import { API_VERSION, VERSION } from "../version.ts";
import type { Flag } from "./flags.ts";
import { quote } from "../go/quote.ts";
import { type CommandSpec, inheritedFlags, localFlags, nameOf, type Path, pathText } from "./command.ts";

/**
 * etcdctl's usage of a command, as it goes to standard output.
 *
 * @param withHelp false: without the flag `--help`, which cobra adds only to the command that runs
 */
export function usage(path: Path, withHelp = true): string {
  const spec = path.at(-1) as CommandSpec;
  const isRoot = path.length === 1;
  const options = localFlags(path).filter(({ name }) => withHelp || name !== "help");
  const inherited = inheritedFlags(path);
  const title = isRoot ? nameOf(spec) : path.slice(1).map(nameOf).join(" ");
  const sections = [
    `NAME:\n\t${title} - ${spec.short}\n`,
    `USAGE:\n\t${useLine(path)}\n`,
    ...(isRoot ? [`VERSION:\n\t${VERSION}\n`] : []),
    ...(spec.commands.length > 0
      ? [`API VERSION:\n\t${API_VERSION}\n`, `\nCOMMANDS:\n${list(spec.commands, "")}`]
      : []),
    ...(spec.long === ""
      ? []
      : [
          `DESCRIPTION:\n${spec.long
            .trimStart()
            .split("\n")
            .map((line) => `\t${line}\n`)
            .join("")}`,
        ]),
    `OPTIONS:\n${options.map(flagLine).join("")}`,
    ...(inherited.length > 0 ? [`GLOBAL OPTIONS:\n${inherited.map(flagLine).join("")}`] : []),
  ];
  return align(`${sections.join("\n")}\n`);
}

function useLine(path: Path): string {
  const spec = path.at(-1) as CommandSpec;
  const line = `${path
    .slice(0, -1)
    .map((of) => `${nameOf(of)} `)
    .join("")}${spec.use}`;
  return spec.flagsInUseLine ? `${line} [flags]` : line;
}

/** All that can be run, down to the last, by name. */
function list(commands: readonly CommandSpec[], above: string): string {
  return sorted(commands)
    .map(
      (of) =>
        `${of.runnable ? `\t${above}${nameOf(of)}\t${of.short}\n` : ""}${list(of.commands, `${above}${nameOf(of)} `)}`,
    )
    .join("");
}

function flagLine(of: Flag): string {
  const name = of.shorthand === "" ? `      --${of.name}` : `  -${of.shorthand}, --${of.name}`;
  const preset = of.type === "string" ? quote(of.default) : of.default;
  return `${name}${of.type === "bool" ? `[=${preset}]` : `=${preset}`}\t${of.usage}\n`;
}

/** Go's text/tabwriter with stops of eight, one column of padding, filled with tabs. */
export function align(text: string): string {
  const lines = text.split("\n").map((line) => line.split("\t"));
  pad(lines, 0, 0, lines.length);
  return lines.map((cells) => cells.join("")).join("\n");
}

/** Sets the tabs after the cells of `column` in lines `from` to `to`, and then those of the columns to its right. */
function pad(lines: string[][], column: number, from: number, to: number): void {
  const ends = (line: number) => (lines[line] as string[]).length - 1 > column;
  for (let first = from; first < to; first += 1) {
    if (!ends(first)) continue;
    let after = first;
    while (after < to && ends(after)) after += 1;
    const cells = lines.slice(first, after);
    const widest = Math.max(...cells.map((line) => (line[column] as string).length)) + 1;
    pad(lines, column + 1, first, after);
    for (const line of cells) {
      const cell = line[column] as string;
      line[column] = cell + "\t".repeat(Math.ceil((Math.ceil(widest / 8) * 8 - cell.length) / 8));
    }
    first = after - 1;
  }
}

/** At least as wide is the column of names. */
const NAME_PADDING = 11;

const sorted = (commands: readonly CommandSpec[]) => [...commands].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

/** What cobra shows by itself. It is its description first when it is `help` that was asked for. */
export function plainUsage(path: Path, withFlags = true): string {
  const flags = localFlags(path);
  const heads = flags.map((of) => {
    const type = of.type === "bool" ? "" : ` ${of.type === "int64" ? "int" : of.type}`;
    return `${of.shorthand === "" ? "      " : `  -${of.shorthand}, `}--${of.name}${type}`;
  });
  const width = Math.max(...heads.map((head) => head.length)) + 3;
  const lines = flags.map((of, i) => {
    const zero = of.default === "" || of.default === "false" || of.default === "0";
    const quoted = of.type === "string" ? quote(of.default) : of.default;
    const preset = of.type === "string" ? of.default !== "" : !zero;
    return `${(heads[i] as string).padEnd(width)}${of.usage}${preset ? ` (default ${quoted})` : ""}\n`;
  });
  const { commands } = path.at(-1) as CommandSpec;
  const flagsText = `Flags:\n${lines.join("")}`;
  if (commands.length === 0) return `Usage:\n  ${useLine(path)}\n\n${flagsText}`;
  const padding = Math.max(NAME_PADDING, ...commands.map((of) => nameOf(of).length));
  const below = sorted(commands).map((of) => `  ${nameOf(of).padEnd(padding)} ${of.short}\n`);
  const name = pathText(path);
  const advice = `Use "${name} [command] --help" for more information about a command.`;
  return `Usage:\n  ${name} [command]\n\nAvailable Commands:\n${below.join("")}\n${withFlags ? `${flagsText}\n` : ""}${advice}\n`;
}
