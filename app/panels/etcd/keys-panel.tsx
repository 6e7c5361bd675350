/** The keyspace, now and at any revision that is not compacted: a lane for each key, and what a read there would give. */
import { type PointerEvent, useEffect, useMemo, useRef, useState } from "react";
import type { EtcdView } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { useView } from "../../store/use.ts";
import { Button } from "../../ui/button.tsx";
import { prepareCanvas } from "../../ui/canvas.ts";
import { Range } from "../../ui/field.tsx";
import { usePalette } from "../../ui/use-palette.ts";
import { useSize } from "../../ui/use-size.ts";
import css from "./etcd.module.css";
import { changeAt, keysInOrder } from "./keyspace.ts";
import { TryCommands } from "./try-commands.tsx";
import { drawLanes, lanesHeight, pointedAt } from "./lanes-draw.ts";

const TO_TRY = ["put greeting hello", "put /app/colour blue"];

export default function KeysPanel() {
  const etcd = useView((view) => view.etcd);
  return etcd === null ? null : <Keyspace etcd={etcd} />;
}

function Keyspace({ etcd }: { readonly etcd: EtcdView }) {
  const { text } = useLanguage();
  const [chosen, setChosen] = useState<number | null>(null);
  const oldest = Math.max(1, etcd.compactRevision);
  // Compaction may have taken the revision that was looked at.
  const revision = chosen === null || chosen >= etcd.revision ? etcd.revision : Math.max(oldest, chosen);
  const keys = useMemo(() => keysInOrder(etcd), [etcd]);
  const now = revision === etcd.revision;
  return (
    <div className={css["pad"]}>
      <div className={css["slider"]}>
        <Range
          label={text("keys.revision")}
          value={revision}
          min={oldest}
          max={Math.max(oldest + 1, etcd.revision)}
          step={1}
          figure={now ? text("keys.now", { revision }) : text("keys.of", { revision, now: etcd.revision })}
          onChange={(to) => setChosen(to >= etcd.revision ? null : to)}
        />
        <Button disabled={now} onClick={() => setChosen(null)}>
          {text("keys.to-now")}
        </Button>
      </div>
      {etcd.compactRevision > 0 ? (
        <p className={css["quiet"]}>{text("keys.compacted", { revision: etcd.compactRevision })}</p>
      ) : null}
      {keys.length === 0 ? (
        <>
          <p className={css["quiet"]}>{text("keys.none")}</p>
          <TryCommands commands={TO_TRY} />
        </>
      ) : (
        <LanesCanvas etcd={etcd} keys={keys} revision={revision} onChoose={setChosen} />
      )}
      <KeysAt keys={keys} revision={revision} />
    </div>
  );
}

interface LanesProps {
  readonly etcd: EtcdView;
  readonly keys: ReturnType<typeof keysInOrder>;
  readonly revision: number;
  readonly onChoose: (revision: number) => void;
}

function LanesCanvas({ etcd, keys, revision, onChoose }: LanesProps) {
  const { text } = useLanguage();
  const palette = usePalette();
  const [box, size] = useSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pointed, setPointed] = useState<ReturnType<typeof pointedAt>>(null);
  const width = size?.width ?? 0;
  const height = lanesHeight(keys.length, palette.scale);
  useEffect(() => {
    if (canvas.current === null || width === 0) return;
    const context = prepareCanvas(canvas.current, width, height);
    if (context !== null) drawLanes(context, { view: etcd, keys, revision, width, palette, pointed });
  }, [etcd, keys, revision, width, height, palette, pointed]);
  const find = (event: PointerEvent<HTMLCanvasElement>): ReturnType<typeof pointedAt> => {
    const area = event.currentTarget.getBoundingClientRect();
    return pointedAt(event.clientX - area.left, event.clientY - area.top, { view: etcd, keys, width, palette });
  };
  const key = pointed === null ? undefined : keys[pointed.row];
  const change = key?.changes.findLast((other) => other.revision === pointed?.revision);
  return (
    <>
      <div ref={box} className={css["lanes"]}>
        <canvas
          ref={canvas}
          style={{ width: "100%", height }}
          role="img"
          aria-label={text("keys.lanes", { count: keys.length })}
          onPointerMove={(event) => setPointed(find(event))}
          onPointerLeave={() => setPointed(null)}
          onClick={() => {
            if (pointed !== null) onChoose(pointed.revision);
          }}
        />
      </div>
      <p className={css["pointed"]}>
        {key === undefined || change === undefined
          ? text("keys.hint")
          : change.type === "delete"
            ? text("keys.told.delete", { key: key.id, revision: change.revision })
            : text("keys.told.put", {
                key: key.id,
                value: change.value,
                revision: change.revision,
                version: change.version,
              })}
      </p>
    </>
  );
}

function KeysAt({ keys, revision }: { readonly keys: ReturnType<typeof keysInOrder>; readonly revision: number }) {
  const { text } = useLanguage();
  const live = keys.flatMap((key) => {
    const change = changeAt(key, revision);
    return change === null ? [] : [{ id: key.id, change }];
  });
  if (live.length === 0) return null;
  return (
    // What scrolls takes the focus, so that keys can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={css["scroll"]} tabIndex={0} role="group" aria-label={text("keys.table", { revision })}>
      <table className={css["table"]}>
        <caption className="heard">{text("keys.table", { revision })}</caption>
        <thead>
          <tr>
            <th scope="col">{text("keys.key")}</th>
            <th scope="col">{text("keys.value")}</th>
            <th scope="col">{text("keys.create")}</th>
            <th scope="col">{text("keys.mod")}</th>
            <th scope="col">{text("keys.version")}</th>
            <th scope="col">{text("keys.lease")}</th>
          </tr>
        </thead>
        <tbody>
          {live.map(({ id, change }) => (
            <tr key={id}>
              <th scope="row">
                <code>{id}</code>
              </th>
              <td>
                <code>{change.value}</code>
              </td>
              <td>{change.createRevision}</td>
              <td>{change.revision}</td>
              <td>{change.version}</td>
              <td>{change.lease === null ? "–" : <code>{change.lease}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
