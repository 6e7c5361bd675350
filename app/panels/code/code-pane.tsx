/**
 * A program with everybody's place in it: as a debugger with several threads, each line has in its margin the squares of
 * the clients that stand there.
 */
import { Fragment, memo, useMemo } from "react";
import type { ProcessId, ThreadView } from "../../../engine/index.ts";
import { useText } from "../../i18n/use-text.ts";
import { Badge } from "../lock/badge.tsx";
import { letterOf } from "../../store/lock-facts.ts";
import css from "./code.module.css";
import { highlightLines, type Token } from "./highlight.ts";

export interface CodeLine {
  /** Indented with blanks: what is too long goes on deeper than that. */
  readonly text: string;
  /** The labels of the steps that it stands for; none for a comment or a brace. */
  readonly steps: readonly string[];
  /** It differs between the published and the mended program. */
  readonly differs: boolean;
  /** What is wrong with it, or was mended in it: sentences for the reader. */
  readonly notes: readonly string[];
}

export interface Cursor {
  readonly client: ProcessId;
  readonly thread: string;
  readonly step: string;
  readonly waits: ThreadView["waits"];
}

interface Props {
  readonly lines: readonly CodeLine[];
  readonly language: string;
  readonly cursors: readonly Cursor[];
  /** Labels of the steps before which the world stops. */
  readonly breakpoints: ReadonlySet<string>;
  readonly onBreakpoint: (step: string) => void;
}

export function CodePane({ lines, language, cursors, breakpoints, onBreakpoint }: Props) {
  const text = useText();
  const tokens = useMemo(
    () => highlightLines(lines.map((line) => line.text.trimStart()).join("\n"), language),
    [lines, language],
  );
  const at = new Map<string, Cursor[]>();
  for (const cursor of cursors) at.set(cursor.step, [...(at.get(cursor.step) ?? []), cursor]);
  return (
    <ol className={css["code"]} aria-label={text("code.label")}>
      {lines.map((line, i) => {
        const here = line.steps.flatMap((step) => at.get(step) ?? []);
        return (
          <Line
            // The text of a line may come twice: its number tells it apart.
            // oxlint-disable-next-line react/no-array-index-key
            key={i}
            number={i + 1}
            line={line}
            tokens={tokens[i] ?? []}
            here={here.map(({ client, waits }) => `${client}:${waits ?? ""}`).join(" ")}
            stops={line.steps.some((step) => breakpoints.has(step))}
            onBreakpoint={onBreakpoint}
          />
        );
      })}
    </ol>
  );
}

interface LineProps {
  readonly number: number;
  readonly line: CodeLine;
  readonly tokens: readonly Token[];
  /** Who stands here, as `client:waits` apart by blanks: one string, so that a line whose cursors stay is not drawn anew. */
  readonly here: string;
  readonly stops: boolean;
  readonly onBreakpoint: (step: string) => void;
}

const indentOf = (text: string): number => text.length - text.trimStart().length;

/** Where a long word may go on below: before a call on what stands before, and after an open bracket. */
const BREAKS = /(?=\.[A-Za-z])|(?<=\()/u;

/** More cursors than this on a line are counted. */
const SHOWN = 3;

const Line = memo(function Line({ number, line, tokens, here, stops, onBreakpoint }: LineProps) {
  const text = useText();
  const cursors = here === "" ? [] : here.split(" ").map((each) => each.split(":") as [ProcessId, string]);
  const [step] = line.steps;
  const names = cursors.map(([id]) => letterOf(id)).join(", ");
  return (
    <li
      className={css["line"]}
      data-here={cursors.length > 0 ? "" : undefined}
      data-differs={line.differs ? "" : undefined}
      style={{ "--indent": indentOf(line.text) }}
    >
      <span className={css["margin"]} title={names}>
        {cursors.length > SHOWN ? <span className={css["many"]}>{cursors.length}</span> : null}
        {cursors.slice(0, cursors.length > SHOWN ? 1 : SHOWN).map(([id, waits]) => (
          <span key={id} className={css["cursor"]} data-waits={waits}>
            <Badge id={id} small />
          </span>
        ))}
        {names === "" ? null : <span className="heard">{text("code.here", { names })}</span>}
      </span>
      {step === undefined ? (
        <span className={css["number"]}>{number}</span>
      ) : (
        <button
          type="button"
          className={css["number"]}
          aria-pressed={stops}
          aria-label={text("code.breakpoint", { line: number })}
          onClick={() => onBreakpoint(step)}
        >
          {number}
        </button>
      )}
      <code>
        {tokens.map(({ text: part, kind }, i) => (
          // oxlint-disable-next-line react/no-array-index-key
          <span key={i} data-kind={kind ?? undefined}>
            {part.split(BREAKS).map((piece, n) => (
              // oxlint-disable-next-line react/no-array-index-key
              <Fragment key={n}>
                {n === 0 ? null : <wbr />}
                {piece}
              </Fragment>
            ))}
          </span>
        ))}
      </code>
      {line.notes.map((note) => (
        <small key={note} className={css["note"]}>
          {note}
        </small>
      ))}
    </li>
  );
});
