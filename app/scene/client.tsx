import { type KeyboardEvent, memo } from "react";
import type { ProcessId, RequestView, WriteView } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { clientOf } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import type { StageLayout } from "./geometry.ts";
import { shorten } from "./member.tsx";
import css from "./stage.module.css";

interface Props {
  readonly id: ProcessId;
  readonly layout: StageLayout;
  /** Goes to the write field; absent where there is none. */
  readonly onWrite: (() => void) | undefined;
}

/** A client beside the ring: where its program stands, at whom, and its last writes. */
export const Client = memo(function Client({ id, layout, onWrite }: Props) {
  const { text } = useLanguage();
  const client = useView(clientOf(id));
  const requests = useView((view) => view.etcd?.requests ?? null);
  const place = layout.places.get(id);
  if (client === null || place === undefined) return null;
  const { scale, clientsBelow } = layout;
  const { width, height } = layout.clientBox;
  const writes = requests === null ? client.writes : callsOf(requests, id);
  const waits = requests !== null && writes.at(-1)?.outcome === "pending";
  const step = text(`client.step.${waits ? "await" : client.step}`);
  const label =
    client.member === null
      ? text("client.label", { id, step })
      : text("client.label.member", { id, step, member: client.member });
  const latest = writes.slice(clientsBelow ? -1 : -3).reverse();
  const heard = latest.map((write) => `${write.value}: ${text(`write.outcome.${write.outcome}`)}`).join(", ");
  const acts =
    onWrite === undefined
      ? { role: "img" }
      : {
          role: "button",
          tabIndex: 0,
          onClick: onWrite,
          onKeyDown: (event: KeyboardEvent) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            onWrite();
          },
        };
  const pad = 12 * scale;
  const tag = (clientsBelow ? 22 : 26) * scale;
  const left = pad + tag + 10 * scale;
  return (
    <g
      className={css["client"]}
      data-step={client.step}
      transform={`translate(${place.x - width / 2} ${place.y - height / 2})`}
      aria-label={heard === "" ? label : `${label}; ${heard}`}
      {...acts}
    >
      <rect className={css["box"]} width={width} height={height} rx={9 * scale} />
      <rect className={css["tag"]} x={pad} y={9 * scale} width={tag} height={tag} rx={7 * scale} />
      <text className={css["tagText"]} x={pad + tag / 2} y={9 * scale + tag / 2} fontSize={11.5 * scale}>
        {id}
      </text>
      {clientsBelow ? (
        <g transform={`translate(${left} ${height / 2})`}>
          {latest[0] === undefined ? (
            <text className={css["quiet"]} fontSize={10.5 * scale} dominantBaseline="central">
              {shorten(step, 9)}
            </text>
          ) : (
            <Outcome write={latest[0]} scale={scale} letters={5} />
          )}
        </g>
      ) : (
        <>
          <text x={left} y={20 * scale} fontSize={12 * scale}>
            {step}
          </text>
          <text className={css["quiet"]} x={left} y={35 * scale} fontSize={11 * scale}>
            {client.member === null ? "" : text("client.at", { member: client.member })}
          </text>
          {latest.length === 0 ? (
            <text className={css["quiet"]} x={pad} y={56 * scale} fontSize={11 * scale}>
              {text("write.none")}
            </text>
          ) : null}
          {latest.map((write, i) => (
            <g key={`${write.request} ${write.askedAt}`} transform={`translate(${pad} ${(51 + i * 15) * scale})`}>
              <Outcome write={write} scale={scale} letters={11} />
            </g>
          ))}
        </>
      )}
    </g>
  );
});

/** What a client of etcd asked for, as writes of the register are shown. */
function callsOf(requests: ReadonlyMap<string, RequestView>, id: ProcessId): readonly WriteView[] {
  const own = [...requests.values()].filter(({ client }) => client === id).slice(-3);
  return own.map(({ label, member, sentAt, outcome, error, entry, id: call }) => ({
    request: Number(call.split("#")[1]),
    value: label,
    member,
    askedAt: sentAt,
    outcome: outcome === "failed" ? "refused" : outcome,
    why: error,
    entry,
  }));
}

const MARKS: Readonly<Record<WriteView["outcome"], string>> = {
  pending: "M0-3.6a3.6 3.6 0 1 0 .01 0",
  done: "M-4 .2-1.2 3 4.2-3",
  refused: "M-3.2-3.2 3.2 3.2M3.2-3.2-3.2 3.2",
  unknown: "M-2.2-2.2a2.3 2.3 0 1 1 2.8 2.3Q0 .6 0 1.6M0 3.8v.2",
};

function Outcome({
  write,
  scale,
  letters,
}: {
  readonly write: WriteView;
  readonly scale: number;
  readonly letters: number;
}) {
  const { text } = useLanguage();
  return (
    <g className={css["outcome"]} data-outcome={write.outcome}>
      <path transform={`translate(${5 * scale} 0) scale(${scale})`} d={MARKS[write.outcome]} />
      <text x={15 * scale} fontSize={11 * scale} dominantBaseline="central">
        {shorten(write.value, letters)}
        {letters > 8 ? <tspan className={css["quiet"]}> {text(`write.outcome.${write.outcome}`)}</tspan> : null}
      </text>
    </g>
  );
}
