/**
 * The animated cluster. Members and clients are SVG and take the focus; messages and timers are a canvas drawn once a
 * frame outside React; logs' tails a canvas drawn when they changed.
 */
import {
  type PointerEvent,
  type ReactNode,
  Suspense,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Flight, MessageId, ProcessId } from "../../engine/index.ts";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { attentionOf, useAttention } from "../store/attention.ts";
import { clientIds, everLed, hasStarted, memberIds } from "../store/selectors.ts";
import { useView, useWorldId } from "../store/use.ts";
import { readWorld } from "../store/worlds.ts";
import { prepareCanvas } from "../ui/canvas.ts";
import { classes } from "../ui/css.ts";
import { usePalette } from "../ui/use-palette.ts";
import { useSize } from "../ui/use-size.ts";
import { Client } from "./client.tsx";
import { flightPoint } from "./flight-point.ts";
import { layoutStage, pathLength, type Point, type StageLayout } from "./geometry.ts";
import type { Meaning } from "./gesture.ts";
import { HeadlineWords } from "./headline-words.tsx";
import { Links } from "./links.tsx";
import { Member, type MemberActs } from "./member.tsx";
import { clientFlights, drawClientMotion, type Drawn, drawMotion, flightAt, looksTheSame, ringBox } from "./motion.ts";
import css from "./stage.module.css";
import { Track } from "./track.tsx";
import { flightLabel, flightTitle } from "./words.ts";

const loadMenu = () => import("./member-menu.tsx");
const loadPopover = () => import("./flight-popover.tsx");
const loadGestures = () => import("./gesture.ts");
/** Before the first leader no log has an entry. */
const loadTails = () => import("./tails.ts");
const MemberMenu = lazyWorded(loadMenu);
const StageSummary = lazyWorded(() => import("./stage-summary.tsx"));
const FlightPopover = lazyWorded(loadPopover);
const LabMarks = lazyWorded(() => import("./lab-marks.tsx"));

/** Whoever comes near will want them at once; the module loader remembers that it has them. */
function fetchMenus(): void {
  void loadMenu();
  void loadPopover();
  void fetchGestures();
}

/** Here by the time that a path is long enough to mean something. */
let gestures: Awaited<ReturnType<typeof loadGestures>> | null = null;
async function fetchGestures(): Promise<void> {
  gestures = await loadGestures();
}

/** A path shorter than this is a click that trembled. */
const DRAG_MIN = 8;

const LONG_PRESS_MS = 480;
/** How long the layer of clients' messages stays when there are none. */
const LINGER_MS = 500;
const PATH_STEP = 5;
const NOTHING: Meaning = { is: "nothing" };

interface Props {
  /** Goes to the field where values are written; without it, what leads there is left out. */
  readonly onWrite?: () => void;
  /** Stands over the stage's upper right corner. */
  readonly children?: ReactNode;
}

interface Drag {
  readonly pointer: number;
  readonly origin: Point;
  readonly path: Point[];
  readonly member: ProcessId | null;
  readonly timer: number | null;
  drawing: boolean;
}

const caughtBy = (meaning: Meaning, id: string): boolean =>
  meaning.is === "split" && meaning.inside.some((m) => m === id);

export function Stage({ onWrite, children }: Props) {
  const { text, list } = useLanguage();
  const world = useWorldId();
  const player = usePlayer();
  const members = useView(memberIds);
  const clients = useView(clientIds);
  const started = useView(hasStarted);
  const resource = useView((view) => view.lab?.resource?.id ?? null);
  const inLab = useView((view) => view.lab !== null);
  const palette = usePalette();
  const [field, size] = useSize();
  const [stroke, setStroke] = useState<{ readonly path: readonly Point[]; readonly meaning: Meaning } | null>(null);
  const hints = useId();
  const drag = useRef<Drag | null>(null);
  const swallowClick = useRef(false);
  const menu = useAttention((attention) => attention.menu);
  const opened = useAttention((attention) => attention.opened);
  const attention = attentionOf(world);

  const layout = useMemo(
    () =>
      size === null
        ? null
        : layoutStage(members, clients, Math.max(1, size.width), Math.max(1, size.height), palette.scale, resource),
    [members, clients, size, palette.scale, resource],
  );

  const acts = useMemo<MemberActs>(
    () => ({
      toggle: (id) => {
        if (swallowClick.current) {
          swallowClick.current = false;
          return;
        }
        const liveness = readWorld(world).view.members.get(id)?.liveness;
        const down = liveness === "crashed" || liveness === "panicked";
        void player.dispatch({ type: down ? "restart" : "crash", process: id });
      },
      menu: (id, x, y, byKey) => attention.setState({ menu: { member: id, x, y, byKey }, pointedAt: null }),
      near: fetchMenus,
      crashHint: `${hints}-crash`,
      restartHint: `${hints}-restart`,
    }),
    [world, player, attention, hints],
  );

  const closeMenu = useCallback(() => attention.setState({ menu: null }), [attention]);
  const closePopover = useCallback(() => attention.setState({ opened: null, pointedAt: null }), [attention]);
  const writeAt = useCallback(
    (id: ProcessId | null) => {
      attention.setState((before) => ({ writeThrough: id, writeAsked: before.writeAsked + 1 }));
      onWrite?.();
    },
    [attention, onWrite],
  );
  const writeAnywhere = useMemo(() => (onWrite === undefined ? undefined : () => writeAt(null)), [onWrite, writeAt]);

  const pointIn = (event: PointerEvent<HTMLElement>): Point => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const hit = (point: Point, reach?: number): MessageId | null => {
    if (layout === null) return null;
    const { view } = readWorld(world);
    return flightAt(point, view, view.at, layout, reach);
  };

  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    swallowClick.current = false;
    if (!event.isPrimary || event.button !== 0 || layout === null) return;
    const origin = pointIn(event);
    const target = event.target instanceof Element ? event.target.closest("[data-member]") : null;
    const member = members.find((id) => id === target?.getAttribute("data-member")) ?? null;
    const { clientX, clientY } = event;
    const timer =
      member === null || event.pointerType === "mouse"
        ? null
        : window.setTimeout(() => {
            if (drag.current?.drawing !== false) return;
            drag.current = null;
            swallowClick.current = true;
            acts.menu(member, clientX, clientY, false);
          }, LONG_PRESS_MS);
    fetchMenus();
    drag.current = { pointer: event.pointerId, origin, path: [origin], member, timer, drawing: false };
  };

  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    const point = pointIn(event);
    const going = drag.current;
    if (going === null || going.pointer !== event.pointerId) {
      if (event.pointerType === "touch") return;
      const id = hit(point);
      if (attention.getState().pointedAt !== id && opened === null) attention.setState({ pointedAt: id });
      return;
    }
    const last = going.path.at(-1) ?? going.origin;
    if (Math.hypot(point.x - last.x, point.y - last.y) < PATH_STEP) return;
    going.path.push(point);
    if (!going.drawing) {
      if (pathLength(going.path) < DRAG_MIN) return;
      going.drawing = true;
      if (going.timer !== null) window.clearTimeout(going.timer);
      event.currentTarget.setPointerCapture(event.pointerId);
    }
    if (layout === null) return;
    const path = [...going.path];
    const meaning = gestures?.meaningOf(path, members, layout.places, readWorld(world).view.cuts) ?? NOTHING;
    setStroke({ path, meaning });
  };

  const endDrag = (): Drag | null => {
    const going = drag.current;
    drag.current = null;
    if (going !== null && going.timer !== null) window.clearTimeout(going.timer);
    setStroke(null);
    return going;
  };

  const carryOut = async (path: readonly Point[], { places }: StageLayout): Promise<void> => {
    const { meaningOf, commandOf } = await loadGestures();
    const command = commandOf(meaningOf(path, members, places, readWorld(world).view.cuts));
    if (command !== null) await player.dispatch(command);
  };

  const onPointerUp = (event: PointerEvent<HTMLElement>): void => {
    const going = endDrag();
    if (going === null || layout === null) return;
    if (going.drawing) {
      swallowClick.current = true;
      void carryOut(going.path, layout);
      return;
    }
    if (going.member !== null) return;
    const message = hit(going.origin, event.pointerType === "mouse" ? undefined : 24);
    if (message === null) return;
    player.pause();
    attention.setState({ opened: { message, x: event.clientX, y: event.clientY }, pointedAt: message });
  };

  return (
    <section
      ref={field}
      className={css["stage"]}
      aria-label={text("stage.label")}
      data-drawing={stroke === null ? undefined : ""}
      onPointerEnter={fetchMenus}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={onPointerUp}
      onPointerCancel={endDrag}
      onPointerLeave={() => attention.setState((before) => (opened === null ? { pointedAt: null } : before))}
    >
      {layout === null ? null : (
        <>
          <svg className={css["layer"]} width={layout.width} height={layout.height} aria-hidden>
            {members.map((id) => (
              <Track key={id} id={id} layout={layout} />
            ))}
            <Links layout={layout} marked={stroke !== null && "pairs" in stroke.meaning ? stroke.meaning.pairs : []} />
          </svg>
          <Canvases layout={layout} />
          <svg className={classes(css["layer"], css["actors"])} width={layout.width} height={layout.height}>
            {inLab ? (
              <Suspense fallback={null}>
                <LabMarks layout={layout} />
              </Suspense>
            ) : (
              clients.map((id) => <Client key={id} id={id} layout={layout} onWrite={writeAnywhere} />)
            )}
            {members.map((id) => (
              <Member key={id} id={id} layout={layout} acts={acts} caught={caughtBy(stroke?.meaning ?? NOTHING, id)} />
            ))}
            {stroke === null ? null : (
              <polyline
                className={css["stroke"]}
                data-meaning={stroke.meaning.is}
                points={stroke.path.map(({ x, y }) => `${x},${y}`).join(" ")}
              />
            )}
          </svg>
        </>
      )}
      <HeadlineWords />
      {children === undefined ? null : <div className={css["corner"]}>{children}</div>}
      {stroke === null || stroke.meaning.is === "nothing" ? null : (
        <p className={css["meaning"]}>
          {stroke.meaning.is === "split"
            ? text("stage.lasso", { inside: list(stroke.meaning.inside), outside: list(stroke.meaning.outside) })
            : text(stroke.meaning.is === "cut" ? "stage.cuts" : "stage.mends", { count: stroke.meaning.pairs.length })}
        </p>
      )}
      <p id={acts.crashHint} hidden>
        {text("member.hint.crash")}
      </p>
      <p id={acts.restartHint} hidden>
        {text("member.hint.restart")}
      </p>
      <Suspense fallback={null}>
        {started ? <StageSummary /> : null}
        {menu === null ? null : (
          <MemberMenu
            key={menu.member}
            id={menu.member}
            x={menu.x}
            y={menu.y}
            byKey={menu.byKey}
            onClose={closeMenu}
            onWrite={onWrite === undefined ? null : writeAt}
          />
        )}
        {opened === null ? null : <FlightPopover {...opened} onClose={closePopover} />}
      </Suspense>
    </section>
  );
}

/** Beside the message, on the side where there is room. */
function placeTip(tip: HTMLElement, flight: Flight, now: number, layout: StageLayout): void {
  const from = layout.places.get(flight.from);
  const to = layout.places.get(flight.to);
  if (from === undefined || to === undefined) return;
  const at = flightPoint(flight, now, from, to);
  const room = layout.width - at.x > tip.offsetWidth + 24;
  const x = Math.round(at.x + (room ? 16 : -16 - tip.offsetWidth));
  tip.style.transform = `translate(${x}px, ${Math.round(at.y - 34)}px)`;
}

/** The canvas layers, and the words beside the message that is pointed at. */
function Canvases({ layout }: { readonly layout: StageLayout }) {
  const language = useLanguage();
  const world = useWorldId();
  const player = usePlayer();
  const palette = usePalette();
  const members = useView(memberIds);
  const logged = useView(everLed);
  const box = useMemo(() => ringBox(layout, members), [layout, members]);
  const traffic = useRef<HTMLCanvasElement>(null);
  const motion = useRef<HTMLCanvasElement>(null);
  const tails = useRef<HTMLCanvasElement>(null);
  const tip = useRef<HTMLParagraphElement>(null);
  const pointedAt = useAttention((attention) => (attention.opened === null ? attention.pointedAt : null));
  const pointed = useView((view) => (pointedAt === null ? null : (view.flights.get(pointedAt) ?? null)));

  useEffect(() => {
    if (motion.current === null || traffic.current === null) return undefined;
    const context = prepareCanvas(motion.current, box.width, box.height);
    const wide = prepareCanvas(traffic.current, layout.width, layout.height);
    if (context === null || wide === null) return undefined;
    context.translate(-box.x, -box.y);
    const attention = attentionOf(world);
    let drawn: Drawn | null = null;
    let wasIdle = true;
    let seen = 0;
    const off = player.onFrame((view, now) => {
      const { pointedAt } = attention.getState();
      if (looksTheSame(drawn, view, now, pointedAt, layout)) return;
      drawn = { flights: view.flights, members: view.members, now, pointedAt };
      const label = (flight: Flight, broken: boolean): string | null => flightLabel(language, flight, broken);
      const input = { view, now, layout, palette, pointedAt, label };
      drawMotion(context, box, input);
      const idle = clientFlights(view).length === 0;
      if (!idle || !wasIdle) drawClientMotion(wide, input);
      // To show or hide it costs a layout: between two messages it stays.
      if (!idle || performance.now() - seen > LINGER_MS) {
        if (!idle) seen = performance.now();
        if (traffic.current !== null && traffic.current.hidden !== idle) traffic.current.hidden = idle;
      }
      wasIdle = idle;
      const flight = pointedAt === null ? undefined : view.flights.get(pointedAt);
      if (flight !== undefined && tip.current !== null) placeTip(tip.current, flight, now, layout);
    });
    const offAttention = attention.subscribe(() => player.invalidate());
    return () => {
      off();
      offAttention();
    };
  }, [layout, box, palette, language, player, world]);

  useEffect(() => {
    if (tails.current === null || !logged) return undefined;
    const context = prepareCanvas(tails.current, layout.width, layout.height);
    if (context === null) return undefined;
    let drawn: readonly unknown[] = [];
    let off: (() => void) | null = null;
    let left = false;
    void loadTails().then(({ drawTails, tailFacts }) => {
      if (left) return;
      off = player.onFrame((view) => {
        const facts = tailFacts(view);
        if (facts.length === drawn.length && facts.every((fact, i) => fact === drawn[i])) return;
        drawn = facts;
        drawTails(context, { view, layout, palette });
      });
    });
    return () => {
      left = true;
      off?.();
    };
  }, [layout, palette, player, logged]);

  const whole = { width: layout.width, height: layout.height };
  const part = { left: box.x, top: box.y, width: box.width, height: box.height };
  return (
    <>
      <canvas ref={traffic} className={css["layer"]} style={whole} hidden aria-hidden />
      <canvas
        ref={motion}
        className={css["layer"]}
        style={part}
        role="img"
        aria-label={language.text("stage.canvas")}
      />
      <canvas ref={tails} className={css["layer"]} style={whole} hidden={!logged} aria-hidden />
      <p ref={tip} className={css["tip"]} hidden={pointed === null} aria-hidden>
        {pointed === null ? null : (
          <>
            {flightTitle(language, pointed)}
            <span className={css["quiet"]}>
              {" "}
              {pointed.term > 0 ? language.text("member.term", { term: pointed.term }) : null}
            </span>
          </>
        )}
      </p>
    </>
  );
}
