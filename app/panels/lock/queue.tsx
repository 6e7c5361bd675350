/**
 * The queue for the lock, in the servers' order: who holds, who waits for whom, how long each lease lasts.
 *
 * Rows have one height each, so that the arrows to the watched predecessor are arithmetic. A long queue is told in rows
 * of one line.
 */
import { memo } from "react";
import { useLanguage } from "../../i18n/use-text.ts";
import { classes } from "../../ui/css.ts";
import { usePalette } from "../../ui/use-palette.ts";
import { Badge } from "./badge.tsx";
import { keyOf, letterOf, type Row, rowsOf } from "../../store/lock-facts.ts";
import { useView } from "../../store/use.ts";
import css from "./lock.module.css";
import { SpanRing } from "./span-ring.tsx";

/** More rows than this are told in one line each. */
const ROOMY = 6;
const NO_ROWS: readonly Row[] = [];
/** At 16 px root type, as in the style sheet. */
const TALL = 58;
const FLAT = 30;

export function Queue() {
  const { text } = useLanguage();
  const { scale } = usePalette();
  const system = useView(({ lab }) => lab?.lab ?? "");
  const rows = useView(({ lab }) => (lab === null ? NO_ROWS : rowsOf(lab)));
  const flat = rows.length > ROOMY;
  const height = (flat ? FLAT : TALL) * scale;
  return (
    <div className={css["queue"]} data-flat={flat ? "" : undefined}>
      <svg className={css["arrows"]} height={rows.length * height} aria-hidden>
        {rows.map(({ place, watches }, i) =>
          place === null || watches === null ? null : (
            <path
              key={place.identity}
              className={css["arrow"]}
              d={arrow(i * height, watches.row * height, height, scale)}
            />
          ),
        )}
      </svg>
      <ol>
        {rows.map((row) => (
          <QueueRow key={keyOf(row)} row={row} lab={system} flat={flat} />
        ))}
      </ol>
      {rows.length === 0 ? <p className={css["quiet"]}>{text("lock.queue.none")}</p> : null}
    </div>
  );
}

/** From the middle of one row up to another's, bulging to the left by how far it goes, with its point there. */
function arrow(from: number, to: number, height: number, scale: number): string {
  const x = 15 * scale;
  const near = Math.abs(from - to) <= height;
  const bulge = near ? x - 5 * scale : Math.max(1, x - 11 * scale);
  const [y0, y1] = [from + height / 2 - 5 * scale, to + height / 2 + 6 * scale];
  const head = 3.5 * scale;
  return `M${x} ${y0}C${bulge} ${y0} ${bulge} ${y1} ${x} ${y1}m${-head} ${-head * 0.2}l${head} ${head * 0.2}l${-head * 0.4} ${head}`;
}

const QueueRow = memo(function QueueRow({
  row,
  lab,
  flat,
}: {
  readonly row: Row;
  readonly lab: string;
  readonly flat: boolean;
}) {
  const { text, find } = useLanguage();
  const { client, place, standing } = row;
  const watched = place?.watches ?? null;
  const order = place?.order ?? null;
  const ahead = row.watches?.client ?? null;
  const says =
    standing === "waits" && client !== null && client.state !== "waiting"
      ? text(`lock.state.${client.state}`)
      : standing === "waits" && ahead !== null
        ? text("lock.waits-for", { id: letterOf(ahead) })
        : text(`lock.standing.${standing}`);
  const more =
    client?.error ??
    (watched === "*"
      ? text("lock.watches.all")
      : watched === null || (flat && ahead !== null)
        ? null
        : text("lock.watches", { what: tail(watched) }));
  const orderWord = find(`lock.order.${lab}`) ?? text("lock.order.plain");
  return (
    <li
      className={css["row"]}
      data-standing={standing}
      data-ahead={ahead === null ? undefined : ""}
      data-held={client?.held === true ? "" : undefined}
      aria-label={text("lock.row", {
        id: client === null ? text("lock.foreign") : letterOf(client.id),
        says,
        order: order === null ? "" : `${orderWord} ${order}`,
      })}
    >
      <Badge id={client?.id ?? null} small={flat} />
      <span className={css["what"]}>
        <b>{says}</b>
        <small>{more ?? ""}</small>
      </span>
      {place === null ? null : (
        <span className={css["figures"]}>
          <code title={place.identity}>{tail(place.identity)}</code>
          {order === null ? null : (
            <span>
              {orderWord} {order}
            </span>
          )}
        </span>
      )}
      {place?.expiresAt == null ? null : <SpanRing from={place.renewedAt ?? 0} until={place.expiresAt} />}
      <span className={classes(css["token"])}>{client?.token == null ? "" : `#${client.token}`}</span>
    </li>
  );
});

/** The end of a key tells it apart: its beginning is the lock's name. */
function tail(identity: string): string {
  const cut = identity.lastIndexOf("/");
  const last = cut < 0 ? identity : identity.slice(cut + 1);
  return last.length > 12 ? `…${last.slice(-10)}` : cut < 0 ? last : `…/${last}`;
}
