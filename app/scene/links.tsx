import { memo } from "react";
import { linkKey, type ProcessId } from "../../engine/index.ts";
import { cuts as cutsOf, memberIds } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import type { Mirror } from "../store/mirror.ts";
import { lane, type Pair, pairsOf, type Place, type StageLayout } from "./geometry.ts";
import css from "./stage.module.css";

/** The members that are down, as one string: it changes only when one goes or comes. */
const downList = (view: Mirror): string =>
  view.memberIds
    .filter((id) => {
      const liveness = view.members.get(id)?.liveness;
      return liveness === "crashed" || liveness === "panicked";
    })
    .join(" ");

/** Each client's member, as "c1>n2". */
const connections = (view: Mirror): string =>
  view.clientIds
    .flatMap((id) => {
      const member = view.clients.get(id)?.member ?? null;
      return member === null ? [] : [`${id}>${member}`];
    })
    .join(" ");

const CROSSED_MAX = 12;

interface Props {
  readonly layout: StageLayout;
  /** Links that the path being drawn crosses. */
  readonly marked: readonly Pair[];
}

/** Hairlines between members; a cut one stands open in the middle. */
export const Links = memo(function Links({ layout, marked }: Props) {
  const ids = useView(memberIds);
  const cuts = useView(cutsOf);
  const down = useView(downList).split(" ");
  const clients = useView(connections);
  return (
    <g>
      {pairsOf(ids).map(({ a, b }) => {
        const from = layout.places.get(a);
        const to = layout.places.get(b);
        if (from === undefined || to === undefined) return null;
        return (
          <Link
            key={`${a} ${b}`}
            {...{ from, to, scale: layout.scale }}
            forth={!cuts.has(linkKey({ from: a as ProcessId, to: b as ProcessId }))}
            back={!cuts.has(linkKey({ from: b as ProcessId, to: a as ProcessId }))}
            down={down.includes(a) || down.includes(b)}
            crossed={cuts.size <= CROSSED_MAX}
            marked={marked.some((pair) => pair.a === a && pair.b === b)}
          />
        );
      })}
      {clients
        .split(" ")
        .filter(Boolean)
        .map((connection) => {
          const [client = "", member = ""] = connection.split(">");
          const from = layout.places.get(client);
          const to = layout.places.get(member);
          if (from === undefined || to === undefined) return null;
          const { a, b } = lane(from, to, 0);
          return <line key={connection} className={css["connection"]} x1={a.x} y1={a.y} x2={b.x} y2={b.y} />;
        })}
    </g>
  );
});

interface LinkProps {
  readonly from: Place;
  readonly to: Place;
  readonly scale: number;
  readonly forth: boolean;
  readonly back: boolean;
  readonly down: boolean;
  readonly marked: boolean;
  /** A cross in the gap; with many gaps, they speak for themselves. */
  readonly crossed: boolean;
}

const Link = memo(function Link({ from, to, scale, forth, back, down, marked, crossed }: LinkProps) {
  const { a, b } = lane(from, to, 0);
  const data = { "data-down": down ? "" : undefined, "data-marked": marked ? "" : undefined };
  if (forth && back) return <line className={css["link"]} {...data} x1={a.x} y1={a.y} x2={b.x} y2={b.y} />;
  const at = (t: number) => ({ x: a.x + (b.x - a.x) * t, y: a.y + (b.y - a.y) * t });
  const mid = at(0.5);
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const turn = (Math.atan2(b.y - a.y, b.x - a.x) * 180) / Math.PI;
  const r = 4 * scale;
  const cross = `M${-r} ${-r} ${r} ${r}M${r} ${-r} ${-r} ${r}`;
  if (forth || back) {
    // Open one way: an arrow that way, and a cross where the other side cannot send.
    const mute = at(forth ? 1 - Math.min(0.3, (18 * scale) / length) : Math.min(0.3, (18 * scale) / length));
    return (
      <g className={css["cut"]} {...data} data-one-way="">
        <line className={css["link"]} x1={a.x} y1={a.y} x2={b.x} y2={b.y} />
        <path
          className={css["way"]}
          transform={`translate(${mid.x} ${mid.y}) rotate(${forth ? turn : turn + 180})`}
          d={`M${-r} ${-r}L${r} 0 ${-r} ${r}`}
        />
        <path className={css["cross"]} transform={`translate(${mute.x} ${mute.y})`} d={cross} />
      </g>
    );
  }
  // Cut both ways, only the ends are left.
  const stub = Math.min(0.36, (20 * scale) / length);
  const [p, q] = [at(stub), at(1 - stub)];
  return (
    <g className={css["cut"]} {...data}>
      <line className={css["link"]} x1={a.x} y1={a.y} x2={p.x} y2={p.y} />
      <line className={css["link"]} x1={q.x} y1={q.y} x2={b.x} y2={b.y} />
      {[p, q].map((end) => (
        <path
          key={`${end.x} ${end.y}`}
          className={css["cross"]}
          transform={`translate(${end.x} ${end.y}) rotate(${turn})`}
          d={`M0 ${-r}V${r}`}
        />
      ))}
      {crossed ? <path className={css["cross"]} transform={`translate(${mid.x} ${mid.y})`} d={cross} /> : null}
    </g>
  );
});
