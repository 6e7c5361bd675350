import { type KeyboardEvent, type PointerEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { LogView, ProcessId } from "../../engine/index.ts";
import type { Language } from "../i18n/language.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { logOf, memberIds, memberOf } from "../store/selectors.ts";
import type { Mirror } from "../store/mirror.ts";
import { useView, useWorldId } from "../store/use.ts";
import { readWorld } from "../store/worlds.ts";
import { prepareCanvas } from "../ui/canvas.ts";
import { usePalette } from "../ui/use-palette.ts";
import { useSize } from "../ui/use-size.ts";
import {
  cellAt,
  cellState,
  type Cursor,
  cursorAt,
  drawGrid,
  gridFacts,
  gridHeight,
  isCutShort,
  lastIndexOf,
  namesWidth,
  pitchOf,
} from "./log-grid.ts";
import css from "./panels.module.css";

const lastIndex = (view: Mirror): number => lastIndexOf(view.members.values());
/** Steps in which the scrolled width grows: not with every entry. */
const GROW_BY = 8;

/** Every member's log, entry by entry. */
export default function LogPanel() {
  const language = useLanguage();
  const { text } = language;
  const world = useWorldId();
  const player = usePlayer();
  const palette = usePalette();
  const members = useView(memberIds);
  const columns = useView((view) => Math.ceil((lastIndex(view) + 1) / GROW_BY) * GROW_BY);
  const [box, size] = useSize();
  const scroller = useRef<HTMLDivElement | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [cursor, setCursor] = useState<Cursor | null>(null);
  const following = useRef(true);
  const { scale } = palette;
  const shape = useMemo(() => ({ members, scale }), [members, scale]);
  const width = size?.width ?? 0;
  const words = useCallback(
    (log: LogView) =>
      text(isCutShort(log) ? "log.older.short" : "log.compacted.short", { index: String(log.firstIndex - 1) }),
    [text],
  );
  const inner = Math.max(width, namesWidth(scale) + columns * pitchOf(scale));

  useEffect(() => {
    if (canvas.current === null || width === 0) return undefined;
    const context = prepareCanvas(canvas.current, width, gridHeight(shape));
    const element = scroller.current;
    if (context === null || element === null) return undefined;
    let drawn: readonly unknown[] = [];
    // Asked once and then told by the scroll itself: to ask each frame makes the browser lay the page out each frame.
    let scrolled = element.scrollLeft;
    const off = player.onFrame((view) => {
      const facts = gridFacts(view, scrolled);
      if (facts.length === drawn.length && facts.every((fact, i) => fact === drawn[i])) return;
      const pitch = pitchOf(scale);
      const wanted = Math.max(0, namesWidth(scale) + lastIndex(view) * pitch - width + pitch / 2);
      if (following.current && Math.abs(scrolled - wanted) > 1) {
        element.scrollLeft = wanted;
        scrolled = element.scrollLeft;
      }
      drawn = gridFacts(view, scrolled);
      drawGrid(context, { view, shape, width, scrolled, cursor, palette, words });
    });
    const onScroll = (): void => {
      scrolled = element.scrollLeft;
      const end = namesWidth(scale) + lastIndex(readWorld(world).view) * pitchOf(scale);
      following.current = scrolled + width >= end - pitchOf(scale) || end <= width;
      player.invalidate();
    };
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      off();
      element.removeEventListener("scroll", onScroll);
    };
  }, [player, world, shape, scale, width, cursor, palette, words]);

  const onPointer = (event: PointerEvent<HTMLCanvasElement>): void => {
    const area = event.currentTarget.getBoundingClientRect();
    const found = cursorAt(
      event.clientX - area.left,
      event.clientY - area.top,
      scroller.current?.scrollLeft ?? 0,
      shape,
    );
    setCursor((before) => (before?.row === found?.row && before?.index === found?.index ? before : found));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const last = Math.max(1, lastIndex(readWorld(world).view));
    const from = cursor ?? { row: 0, index: last + 1 };
    const moves: Readonly<Record<string, Cursor>> = {
      ArrowLeft: { ...from, index: from.index - 1 },
      ArrowRight: { ...from, index: from.index + 1 },
      ArrowUp: { row: from.row - 1, index: Math.min(from.index, last) },
      ArrowDown: { row: from.row + 1, index: Math.min(from.index, last) },
      Home: { ...from, index: 1 },
      End: { ...from, index: last },
    };
    const to = moves[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const index = Math.min(last, Math.max(1, to.index));
    setCursor({ row: Math.min(members.length - 1, Math.max(0, to.row)), index });
    const element = scroller.current;
    const x = (index - 1) * pitchOf(scale);
    if (element === null) return;
    if (x < element.scrollLeft) element.scrollLeft = x;
    const over = x + pitchOf(scale) + namesWidth(scale) - width;
    if (over > element.scrollLeft) element.scrollLeft = over;
  };

  return (
    <div className={css["pad"]}>
      {/* A canvas of cells that arrow keys walk over: no native element is that, and the focus must come here. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={(element) => {
          scroller.current = element;
          return box(element);
        }}
        className={css["logs"]}
        role="application"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        aria-label={text("log.canvas")}
        onKeyDown={onKeyDown}
      >
        <div style={{ width: inner, height: gridHeight(shape) }}>
          <canvas
            ref={canvas}
            style={{ width, height: gridHeight(shape) }}
            onPointerMove={onPointer}
            onPointerDown={onPointer}
            onPointerLeave={() => setCursor(null)}
          />
        </div>
      </div>
      <Entry cursor={cursor} members={members} />
      <LogTable members={members} />
    </div>
  );
}

function entryWords(language: Language, view: Mirror, cursor: Cursor | null, members: readonly ProcessId[]): string {
  const { text } = language;
  const id = cursor === null ? undefined : members[cursor.row];
  if (cursor === null || id === undefined) return text(lastIndex(view) === 0 ? "log.empty" : "log.hint");
  const member = view.members.get(id);
  const cell = cellAt(view.logs.get(id), cursor.index);
  const log = view.logs.get(id);
  if (member !== undefined && log !== undefined && cursor.index < log.firstIndex)
    return text(isCutShort(log) ? "log.older" : "log.compacted", { member: id, index: log.firstIndex - 1 });
  if (member === undefined || cell === undefined) return text("log.none", { member: id, index: cursor.index });
  const what = cell.kind === "no-op" ? text("log.kind.no-op") : text(`log.kind.${cell.kind}`, { label: cell.label });
  const state = text(`log.state.${cellState(member, cursor.index)}`);
  return text("log.entry", { member: id, index: cursor.index, what, term: cell.term, state });
}

function Entry({ cursor, members }: { readonly cursor: Cursor | null; readonly members: readonly ProcessId[] }) {
  const language = useLanguage();
  const words = useView((view) => entryWords(language, view, cursor, members));
  return (
    <p className={css["entry"]} aria-live={cursor === null ? "off" : "polite"}>
      {words}
    </p>
  );
}

/** The same in figures, for eyes and ears alike. */
function LogTable({ members }: { readonly members: readonly ProcessId[] }) {
  const { text } = useLanguage();
  const compacted = useView(anyCompacted);
  return (
    <table className={css["table"]}>
      <caption className="heard">{text("log.table")}</caption>
      <thead>
        <tr>
          <th scope="col">{text("log.column.member")}</th>
          {compacted ? <th scope="col">{text("log.column.snapshot")}</th> : null}
          <th scope="col">{text("log.column.last")}</th>
          <th scope="col">{text("log.column.durable")}</th>
          <th scope="col">{text("log.column.commit")}</th>
          <th scope="col">{text("log.column.applied")}</th>
          <th scope="col">{text("log.column.value")}</th>
        </tr>
      </thead>
      <tbody>
        {members.map((id) => (
          <LogRow key={id} id={id} compacted={compacted} />
        ))}
      </tbody>
    </table>
  );
}

const anyCompacted = (view: Mirror): boolean => {
  for (const { firstIndex } of view.logs.values()) if (firstIndex > 1) return true;
  return false;
};

function LogRow({ id, compacted }: { readonly id: ProcessId; readonly compacted: boolean }) {
  const { text } = useLanguage();
  const member = useView(memberOf(id));
  const lastTerm = useView((view) => logOf(id)(view)?.cells.at(-1)?.term ?? 0);
  const before = useView((view) => (logOf(id)(view)?.firstIndex ?? 1) - 1);
  if (member === null) return null;
  return (
    <tr>
      <th scope="row">{id}</th>
      {compacted ? <td>{before === 0 ? "–" : text("log.up-to", { index: before })}</td> : null}
      <td>
        {member.lastIndex}
        {lastTerm > 0 ? <small> {text("member.term", { term: lastTerm })}</small> : null}
      </td>
      <td>{member.durable}</td>
      <td>{member.commit}</td>
      <td>{member.applied}</td>
      <td className={css["valueCell"]}>{member.value ?? "–"}</td>
    </tr>
  );
}
