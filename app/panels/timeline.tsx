import { type KeyboardEvent, memo, type PointerEvent, Suspense, useEffect, useMemo, useRef } from "react";
import type { Note, PrimarySpan, Reign } from "../../engine/index.ts";
import type { Language } from "../i18n/language.ts";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { chiefKind } from "../store/chief.ts";
import { faults as faultsOf, inPast, reigns as reignsOf, violation as violationOf } from "../store/selectors.ts";
import { letterOf } from "../store/lock-facts.ts";
import { useView, useWorld, useWorldId } from "../store/use.ts";
import { readWorld } from "../store/worlds.ts";
import "../ui/css.ts";
import { paced } from "../ui/paced.ts";
import { usePalette } from "../ui/use-palette.ts";
import { useSize } from "../ui/use-size.ts";
import { processName } from "./note-line.tsx";
import { bandsOf, spanFor, ticksFor } from "./timeline-scale.ts";
import css from "./timeline.module.css";

const Branches = lazyWorded(() => import("./branches.tsx"));

const MS = 1_000;
/** In how many steps a span is drawn anew while time runs. */
const COARSE = 50;
/** How far the playhead goes before it is moved again while time runs, in CSS pixels. */
const HEAD_STEP = 2;
/** How often the slider says its value: for ears, not eyes. */
const TELL_MS = 400;
/** Faults that take something away; the others give it back. */
const HARMS = new Set(["crashed", "paused", "wiped", "panicked", "partitioned", "cut", "corrupted", "retired"]);
/** Room for the lanes' names, and for the last figure, at 16 px root type. */
const LEFT = 72;
const RIGHT = 24;

/** Who led when, what went wrong when; and the slider that goes to any moment. */
export default function Timeline() {
  const language = useLanguage();
  const { text, seconds } = language;
  const world = useWorldId();
  const player = usePlayer();
  const [box, size] = useSize();
  const head = useRef<HTMLDivElement>(null);
  const slider = useRef<HTMLDivElement>(null);
  // What is drawn needs the time but roughly: the playhead itself moves outside React, and covers what is drawn ahead.
  const span = useWorld((state) => spanFor(state.headAt));
  const coarse = useWorld(({ headAt, playing }) =>
    playing ? Math.ceil(headAt / (span / COARSE)) * (span / COARSE) : headAt,
  );
  const past = useWorld(inPast);
  const inLab = useView((view) => view.lab !== null);
  const kind = useView(chiefKind);
  const forked = useWorld((state) => state.branches > 0);
  const { scale } = usePalette();
  const left = LEFT * scale;
  const right = RIGHT * scale;
  const width = Math.max(40, (size?.width ?? 0) - left - right);
  const x = useMemo(() => (at: number) => (at / span) * width, [span, width]);

  useEffect(() => {
    const tell = paced(TELL_MS, (now: number) => {
      const { headAt } = readWorld(world);
      if (slider.current === null) return;
      const [told, most] = [Math.round(now / MS), Math.round(Math.max(now, headAt) / MS)];
      const value = text("timeline.value", { at: seconds(now), head: seconds(headAt) });
      // The end changes too where the moment does not: another future was gone to.
      if (slider.current.getAttribute("aria-valuetext") === value) return;
      slider.current.setAttribute("aria-valuenow", String(told));
      slider.current.setAttribute("aria-valuemax", String(most));
      slider.current.setAttribute("aria-valuetext", value);
    });
    let drawn = Number.NaN;
    const off = player.onFrame((_view, now) => {
      const at = Math.round(Math.min(x(now), width));
      tell.call(now);
      const step = readWorld(world).playing ? HEAD_STEP : 1;
      if (head.current === null || Math.abs(at - drawn) < step) return;
      drawn = at;
      head.current.style.transform = `translateX(${at}px)`;
    });
    return () => {
      off();
      tell.cancel();
    };
  }, [player, world, x, width, text, seconds]);

  const seek = (at: number): void => {
    player.pause();
    void player.seek(Math.min(readWorld(world).headAt, Math.max(0, Math.round(at))));
  };
  const onPointer = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.type === "pointerdown") {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
    } else if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.getBoundingClientRect();
    seek(((event.clientX - box.left) / width) * span);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { view, headAt } = readWorld(world);
    const step = event.shiftKey ? 100 * MS : 10 * MS;
    const to: Readonly<Record<string, number>> = {
      ArrowRight: view.at + step,
      ArrowUp: view.at + step,
      ArrowLeft: view.at - step,
      ArrowDown: view.at - step,
      PageUp: view.at + span / 10,
      PageDown: view.at - span / 10,
      Home: 0,
      End: headAt,
    };
    const at = to[event.key];
    if (at === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    seek(at);
  };

  return (
    <section
      ref={box}
      className={css["timeline"]}
      aria-label={text("timeline.label")}
      data-chief={kind}
      style={{ "--left": `${left}px`, "--right": `${right}px` }}
    >
      {kind === "none" ? null : (
        <span className={css["lane"]} data-lane="leader">
          {text(`timeline.lane.${kind}`)}
        </span>
      )}
      <span className={css["lane"]} data-lane="faults">
        {text("timeline.lane.faults")}
      </span>
      {inLab ? (
        <span className={css["lane"]} data-lane="lock">
          {text("timeline.lane.lock")}
        </span>
      ) : null}
      <div
        ref={slider}
        className={css["slider"]}
        role="slider"
        tabIndex={0}
        aria-label={text("timeline.slider")}
        aria-valuemin={0}
        aria-valuemax={0}
        aria-valuenow={0}
        onPointerDown={onPointer}
        onPointerMove={onPointer}
        onKeyDown={onKeyDown}
      >
        {size === null ? null : <Lanes {...{ width, span, x, scale }} now={coarse} />}
        <div ref={head} className={css["head"]} data-now={past ? undefined : ""} />
      </div>
      <Suspense fallback={null}>{forked ? <Branches /> : null}</Suspense>
    </section>
  );
}

interface LanesProps {
  readonly width: number;
  readonly span: number;
  readonly now: number;
  readonly scale: number;
  readonly x: (at: number) => number;
}

const Lanes = memo(function Lanes({ width, span, now, scale, x }: LanesProps) {
  const language = useLanguage();
  const { text } = language;
  const elected = useView(reignsOf);
  const primaries = useView((view) => (chiefKind(view) === "primary" ? (view.lab?.primaries ?? null) : null));
  const alone = useView((view) => chiefKind(view) === "none");
  const reigns = useMemo(() => (primaries === null ? elected : primaries.map(primaryReign)), [elected, primaries]);
  const faults = useView(faultsOf);
  const broken = useView(violationOf);
  const bands = bandsOf(reigns, now, (span / width) * 3);
  const ticks = ticksFor(span, width, 90 * scale);
  const digits = span <= 5_000_000 ? 1 : 0;
  const inLab = useView((view) => view.lab !== null);
  const placed = placeFaults(language, faults, x, width, scale, inLab);
  return (
    <div className={css["lanes"]} aria-hidden>
      {alone ? null : <div className={css["run"]} style={{ width: x(now) }} />}
      {bands.map((band) => {
        const left = x(band.from);
        const wide = Math.max(1, x(band.to) - left - 1);
        return (
          <span
            key={`${band.term} ${band.from}`}
            className={css["reign"]}
            data-term=""
            data-mixed={band.leader === null ? "" : undefined}
            style={{ "--term": band.term, left, width: wide }}
          >
            {band.leader === null || wide < 34 * scale
              ? null
              : primaries !== null
                ? band.leader
                : text(wide > 84 * scale ? "timeline.reign.long" : "timeline.reign.short", {
                    leader: band.leader,
                    term: band.term,
                  })}
          </span>
        );
      })}
      {placed.map(({ fault, left, words }) => (
        <span
          key={fault.event}
          className={css["fault"]}
          data-harm={HARMS.has(fault.what) ? "" : undefined}
          style={{ left }}
        >
          {words}
        </span>
      ))}
      <Locks {...{ x, now, scale }} />
      {broken === null || broken.at > now ? null : <span className={css["breach"]} style={{ left: x(broken.at) }} />}
      {ticks.map((tick) => (
        <span key={tick} className={css["tick"]} style={{ left: x(tick) }}>
          {language.seconds(tick, digits)}
        </span>
      ))}
    </div>
  );
});

/** Each new primary has the next hue, as each new term has. */
function primaryReign({ server, from, to }: PrimarySpan, i: number): Reign {
  return { leader: server, term: i + 1, from, to };
}

/** Who really held the lock of a lab, and where two believed at once. */
function Locks({ x, now, scale }: Pick<LanesProps, "x" | "now" | "scale">) {
  const held = useView((view) => view.lab?.held ?? null);
  const overlaps = useView((view) => view.lab?.overlaps ?? null);
  const bar = (from: number, to: number | null): { readonly left: number; readonly width: number } => ({
    left: x(from),
    width: Math.max(1.5, x(Math.min(now, to ?? now)) - x(from) - 1),
  });
  return (
    <>
      {held?.map((hold) =>
        hold.from > now ? null : (
          <span key={hold.from} className={css["hold"]} style={bar(hold.from, hold.to)}>
            {hold.client === null || bar(hold.from, hold.to).width < 16 * scale ? null : letterOf(hold.client)}
          </span>
        ),
      )}
      {overlaps?.map((overlap) =>
        overlap.from > now ? null : (
          <span key={overlap.event} className={css["overlap"]} style={bar(overlap.from, overlap.to)} />
        ),
      )}
    </>
  );
}

/** Faults from left to right; one whose words would run into the next stays without them. */
function placeFaults(
  language: Language,
  faults: readonly Note[],
  x: (at: number) => number,
  width: number,
  scale: number,
  inLab: boolean,
) {
  return faults.map((fault, i) => {
    const left = x(fault.at);
    const words = faultWords(language, fault, inLab);
    const next = faults[i + 1];
    const room = (next === undefined ? width : x(next.at)) - left - 18 * scale;
    return { fault, left, words: words.length * 6.5 * scale <= room ? words : null };
  });
}

function groupSizes(groups: string): string {
  return groups
    .split(" | ")
    .map((group) => group.split(" ").length)
    .join(" | ");
}

/** The fault in two words: who, and what became of it. */
function faultWords({ text, find }: Language, { what, process, figures }: Note, inLab: boolean): string {
  const groups = figures["groups"];
  if (typeof groups === "string") return `${find(`fault.${what}`) ?? what} ${groupSizes(groups)}`;
  const named = process === null ? null : processName(process, inLab);
  const subject = named ?? [figures["from"], figures["to"]].filter(Boolean).join(" → ");
  const states: Readonly<Record<string, string>> = {
    crashed: text("liveness.crashed"),
    paused: text("liveness.paused"),
    panicked: text("liveness.panicked"),
  };
  const short = states[what] ?? find(`fault.${what}`) ?? what;
  return subject === "" ? short : `${subject} ${short}`;
}
