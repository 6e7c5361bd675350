/** etcdctl's console: what was typed and what came of it, a line to type in, its history and completion. */
import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  memo,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import {
  completions,
  EMPTY_HISTORY,
  entered,
  type History,
  pasted,
  shownLine,
  walked,
} from "../../../engine/console.ts";
import type { ConsoleLine } from "../../../engine/index.ts";
import { useText } from "../../i18n/use-text.ts";
import { usePlayer } from "../../player/use.ts";
import { memberIds, playingOf } from "../../store/selectors.ts";
import { useView, useWorld } from "../../store/use.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/select.tsx";
import css from "./console.module.css";
import { TryCommands } from "./try-commands.tsx";
import { type ConsoleActs, useConsole } from "./use-console.ts";

const TO_TRY = ["put greeting hello", "get greeting", "endpoint status --cluster -w table", "member list -w table"];
const ALL = "";

export default function ConsolePanel() {
  const console = useConsole();
  return console === null ? null : <Screen console={console} />;
}

function Screen({ console }: { readonly console: ConsoleActs }) {
  const text = useText();
  const { view } = console;
  const output = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const last = view.lines.at(-1);
  useLayoutEffect(() => {
    if (output.current !== null && last !== undefined) output.current.scrollTop = output.current.scrollHeight;
  }, [last]);
  return (
    <div className={css["console"]}>
      {/* What scrolls takes the focus, so that keys can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div ref={output} className={css["output"]} role="log" tabIndex={0} aria-label={text("console.output")}>
        {view.lines.length === 0 ? <p className={css["hint"]}>{text("console.hint")}</p> : null}
        {view.lines.map((line) => (
          <Line key={line.n} line={line} />
        ))}
      </div>
      <Prompt console={console} field={field} />
      <StandsStill />
      {view.lines.length === 0 ? <TryCommands commands={TO_TRY} /> : null}
      <Endpoint console={console} />
    </div>
  );
}

const Line = memo(function Line({ line: { stream, text } }: { readonly line: ConsoleLine }) {
  return (
    <div data-stream={stream}>
      {stream === "typed" ? <span aria-hidden="true">$ </span> : null}
      {text.replace(/\n$/, "")}
    </div>
  );
});

interface PromptProps {
  readonly console: ConsoleActs;
  readonly field: React.RefObject<HTMLInputElement | null>;
}

function Prompt({ console, field }: PromptProps) {
  const text = useText();
  const { busy } = console.view;
  const [typed, setTyped] = useState("");
  const [history, setHistory] = useState<History>(EMPTY_HISTORY);
  const queue = useQueue(console);
  const [offered, setOffered] = useState<readonly string[]>([]);

  const change = (to: string): void => {
    setTyped(to);
    setOffered([]);
  };
  const enter = (line: string): void => {
    console.line(line);
    if (!busy) setHistory((before) => entered(before, line));
    change("");
  };
  const walk = (by: -1 | 1): void => {
    const to = walked(history, by, typed);
    setHistory(to);
    change(shownLine(to));
  };
  /** @returns whether there was anything to complete */
  const complete = (): boolean => {
    const found = busy || typed.trim() === "" ? [] : completions(typed);
    const common = commonStart(found);
    if (common === "") return false;
    const done = typed.slice(0, typed.search(/\S*$/)) + common;
    change(found.length === 1 && !common.endsWith("=") ? `${done} ` : done);
    if (found.length > 1) setOffered(found);
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const { key, ctrlKey, shiftKey, currentTarget } = event;
    const selected = currentTarget.selectionStart !== currentTarget.selectionEnd;
    if (ctrlKey && key === "c" && !selected) {
      if (busy) console.interrupt();
      else change("");
    } else if (ctrlKey && key === "d" && typed === "") {
      if (busy) console.eof();
    } else if (key === "ArrowUp") walk(-1);
    else if (key === "ArrowDown") walk(1);
    else if (key !== "Tab" || shiftKey || !complete()) return;
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent<HTMLInputElement>): void => {
    const { lines, rest } = pasted(event.clipboardData.getData("text"));
    const [first, ...others] = lines;
    if (first === undefined) return;
    event.preventDefault();
    queue([typed + first, ...others]);
    change(rest);
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    enter(typed);
  };

  return (
    <>
      <form className={css["prompt"]} onSubmit={onSubmit}>
        <label htmlFor="console-line" className="heard">
          {text(busy ? "console.input" : "console.line")}
        </label>
        <span aria-hidden="true">{busy ? "›" : "$"}</span>
        <input
          ref={field}
          id="console-line"
          value={typed}
          placeholder={text(busy ? "console.busy" : "console.placeholder")}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="send"
          onChange={(event) => change(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {busy ? (
          <Button onClick={console.interrupt} aria-keyshortcuts="Control+C">
            {text("console.interrupt")}
          </Button>
        ) : (
          <Button type="submit">{text("console.enter")}</Button>
        )}
      </form>
      {offered.length === 0 ? null : (
        <p className={css["offered"]} role="status">
          {offered.join("  ")}
        </p>
      )}
    </>
  );
}

/**
 * Pasted commands run one after the other: each when the one before has ended. What follows an interactive transaction
 * is its input.
 *
 * @returns what puts lines into the queue
 */
function useQueue({ view: { busy, lines }, line }: ConsoleActs): (lines: readonly string[]) => void {
  const [waiting, setWaiting] = useState<readonly string[]>([]);
  /** The last line on the screen when one was sent: it stands there itself once it was taken. */
  const sentAfter = useRef<number | null>(null);
  const last = lines.at(-1)?.n ?? -1;
  useEffect(() => {
    const [next, ...rest] = waiting;
    if (next === undefined || busy || (sentAfter.current !== null && last <= sentAfter.current)) return;
    const interactive = /\btxn\b.*\s(-i|--interactive)\b/.test(next);
    sentAfter.current = last;
    for (const each of interactive ? [next, ...rest] : [next]) line(each);
    setWaiting(interactive ? [] : rest);
  }, [waiting, busy, last, line]);
  return (more) => {
    sentAfter.current = null;
    setWaiting((before) => [...before, ...more]);
  };
}

/** Through which member: etcdctl reads its endpoints from a variable, and the console keeps one. */
function Endpoint({ console }: { readonly console: ConsoleActs }) {
  const text = useText();
  const members = useView(memberIds);
  const [chosen, setChosen] = useState(ALL);
  const options = [
    { value: ALL, text: text("console.endpoint.all") },
    ...members.map((id) => ({ value: String(id), text: `${id}:2379` })),
  ];
  const choose = (to: string): void => {
    setChosen(to);
    const ids = to === ALL ? members : [to];
    console.run(`ETCDCTL_ENDPOINTS=${ids.map((id) => `${id}:2379`).join(",")}`);
  };
  return <Select label={text("console.endpoint")} value={chosen} options={options} onChange={choose} />;
}

function StandsStill() {
  const text = useText();
  const player = usePlayer();
  const playing = useWorld(playingOf);
  if (playing) return null;
  return (
    <p className={css["still"]}>
      {text("console.still")} <Button onClick={() => player.play()}>{text("transport.play")}</Button>
    </p>
  );
}

function commonStart(words: readonly string[]): string {
  let [common = ""] = words;
  for (const word of words) while (!word.startsWith(common)) common = common.slice(0, -1);
  return common;
}
