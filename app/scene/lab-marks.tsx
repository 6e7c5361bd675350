/**
 * The clients of a lock lab beside the ring, as many as there are, and what they fight for: who holds in green, who only
 * believes so in red, arrows to whom each waits for.
 */
import { memo } from "react";
import type { ProcessId } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { holderOf, letterOf, type Row, rowsOf } from "../store/lock-facts.ts";
import { useView } from "../store/use.ts";
import type { StageLayout } from "./geometry.ts";
import css from "./lab-marks.module.css";

const NO_ROWS: readonly Row[] = [];

export default function LabMarks({ layout }: { readonly layout: StageLayout }) {
  const rows = useView(({ lab }) => (lab === null ? NO_ROWS : rowsOf(lab)));
  const writer = useView(({ lab }) => (lab === null ? null : (holderOf(lab)?.client ?? null)));
  return (
    <>
      {layout.clientLook === "square" || layout.clientsBelow
        ? null
        : rows.map(({ client, watches }) =>
            client === null || watches?.client == null ? null : (
              <Arrow key={client.id} from={client.id} to={watches.client} layout={layout} />
            ),
          )}
      <Resource layout={layout} writer={writer} />
      {rows
        .toSorted(byClient)
        .map((row) => (row.client === null ? null : <Mark key={row.client.id} row={row} layout={layout} />))}
    </>
  );
}

/** Each keeps its place in the page, whatever its place in the queue. */
function byClient({ client: a }: Row, { client: b }: Row): number {
  return a === null || b === null ? 0 : Number(a.id.slice(1)) - Number(b.id.slice(1));
}

/** Along the left side, from one card to the one that it watches. */
function Arrow({
  from,
  to,
  layout,
}: {
  readonly from: ProcessId;
  readonly to: ProcessId;
  readonly layout: StageLayout;
}) {
  const [a, b] = [layout.places.get(from), layout.places.get(to)];
  if (a === undefined || b === undefined) return null;
  const { scale, clientBox } = layout;
  const up = b.y < a.y;
  const x = a.x - clientBox.width / 2 + 18 * scale;
  const y0 = a.y + (up ? -1 : 1) * (clientBox.height / 2);
  const y1 = b.y + (up ? 1 : -1) * (clientBox.height / 2 + 3 * scale);
  const h = 3.5 * scale;
  const head = up ? h : -h;
  return <path className={css["arrow"]} d={`M${x} ${y0}V${y1}m${-h} ${head}l${h} ${-head}l${h} ${head}`} aria-hidden />;
}

const Mark = memo(function Mark({ row, layout }: { readonly row: Row; readonly layout: StageLayout }) {
  const { text } = useLanguage();
  const { client, standing, watches, place: queued } = row;
  const place = client === null ? undefined : layout.places.get(client.id);
  if (client === null || place === undefined) return null;
  const { scale, clientLook, clientBox } = layout;
  const { width, height } = clientBox;
  const ahead = watches?.client ?? null;
  const says =
    standing === "waits" && client.state !== "waiting"
      ? text(`lock.state.${client.state}`)
      : standing === "waits" && ahead !== null
        ? text("lock.waits-for", { id: letterOf(ahead) })
        : text(`lock.standing.${standing}`);
  const letter = letterOf(client.id);
  const tag = clientLook === "square" ? width : 26 * scale;
  const pad = clientLook === "square" ? 0 : 10 * scale;
  const left = pad + tag + 9 * scale;
  const figures = [client.token === null ? null : `#${client.token}`, queued?.order == null ? null : `${queued.order}`];
  return (
    <g
      className={css["mark"]}
      data-standing={standing}
      data-liveness={client.liveness}
      role="img"
      aria-label={`${letter}: ${says}`}
      transform={`translate(${place.x - width / 2} ${place.y - height / 2})`}
    >
      <title>{`${letter}: ${says}`}</title>
      {clientLook === "square" ? null : <rect className={css["box"]} width={width} height={height} rx={9 * scale} />}
      <rect
        className={css["tag"]}
        x={pad}
        y={clientLook === "card" && !layout.clientsBelow ? 12 * scale : (height - tag) / 2}
        width={tag}
        height={tag}
        rx={7 * scale}
      />
      <text
        className={css["letter"]}
        x={pad + tag / 2}
        y={clientLook === "card" && !layout.clientsBelow ? 12 * scale + tag / 2 : height / 2}
        fontSize={(letter.length > 1 ? 10.5 : 13) * scale}
      >
        {letter}
      </text>
      {clientLook === "square" ? null : (
        <>
          <text
            className={css["says"]}
            x={left}
            y={(clientLook === "card" && !layout.clientsBelow ? 23 : 19) * scale}
            fontSize={12 * scale}
          >
            {shorten(says, layout.clientsBelow ? 8 : 20)}
          </text>
          {layout.clientsBelow ? null : (
            <text className={css["quiet"]} x={left} y={(clientLook === "card" ? 40 : 34) * scale} fontSize={11 * scale}>
              {standing === "holds" || standing === "deceived"
                ? (figures[0] ?? "")
                : figures[1] === null
                  ? ""
                  : `${figures[1]}`}
            </text>
          )}
          {clientLook === "card" && !layout.clientsBelow ? (
            <text className={css["quiet"]} x={pad} y={66 * scale} fontSize={11 * scale}>
              {shorten(client.error ?? factOf(client.knows.at(-1)), 24)}
            </text>
          ) : null}
        </>
      )}
    </g>
  );
});

function Resource({ layout, writer }: { readonly layout: StageLayout; readonly writer: ProcessId | null }) {
  const { text } = useLanguage();
  const resource = useView((view) => view.lab?.resource ?? null);
  const place = resource === null ? undefined : layout.places.get(resource.id);
  if (resource === null || place === undefined) return null;
  const { scale, resourceBox, clientBox, clientLook } = layout;
  const { width, height } = resourceBox;
  const from = writer === null ? undefined : layout.places.get(writer);
  const x = place.x - width / 2;
  const rule = !resource.fenced
    ? text("lock.open")
    : resource.greatest === null
      ? text("lock.fenced.any")
      : text("lock.fenced", { token: resource.greatest });
  return (
    <g role="img" aria-label={`${text("lock.resource")}: ${rule}`}>
      {from === undefined || clientLook === "square" ? null : (
        <path
          className={css["hold"]}
          d={`M${from.x - clientBox.width / 2} ${from.y}h${-9 * scale}V${place.y}h${9 * scale}`}
          aria-hidden
        />
      )}
      <g
        className={css["resource"]}
        transform={`translate(${x} ${place.y - height / 2})`}
        data-harm={resource.lostUpdates > 0 ? "" : undefined}
      >
        <rect width={width} height={height} rx={4 * scale} />
        <text x={12 * scale} y={18 * scale} fontSize={12 * scale} fontWeight={600}>
          {text("lock.resource")}
        </text>
        <text className={css["quiet"]} x={12 * scale} y={34 * scale} fontSize={11 * scale}>
          {shorten(rule, 26)}
        </text>
      </g>
    </g>
  );
}

/** The last thing that it learned. Of a path the end tells it apart. */
function factOf(fact: { readonly name: string; readonly value: string } | undefined): string {
  return fact === undefined ? "" : `${fact.name} ${fact.value.replace(/^\/.*\//, "…/")}`;
}

function shorten(words: string, letters: number): string {
  return words.length > letters ? `${words.slice(0, letters - 1)}…` : words;
}
