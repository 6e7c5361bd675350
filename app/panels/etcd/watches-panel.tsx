/** Watches: who watches what from which revision, and every event that was delivered, in order. */
import { memo } from "react";
import type { WatchView } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { useView } from "../../store/use.ts";
import { TryCommands } from "./try-commands.tsx";
import css from "./etcd.module.css";

const TO_TRY = ['watch --prefix ""', "watch greeting --rev=1"];

export default function WatchesPanel() {
  const { text } = useLanguage();
  const watches = useView((view) => view.etcd?.watches ?? null);
  if (watches === null) return null;
  const listed = [...watches.values()].toSorted(
    (a, b) => Number(a.state === "cancelled") - Number(b.state === "cancelled"),
  );
  return (
    <div className={css["pad"]}>
      {listed.length === 0 ? <p className={css["quiet"]}>{text("watches.none")}</p> : null}
      {listed.length === 0 ? <TryCommands commands={TO_TRY} /> : null}
      <ol className={css["cards"]}>
        {listed.map((watch) => (
          <Watch key={watch.id} watch={watch} />
        ))}
      </ol>
    </div>
  );
}

const Watch = memo(function Watch({ watch }: { readonly watch: WatchView }) {
  const { text } = useLanguage();
  const { client, member, target, startRevision, state, why, delivered, deliveredCount } = watch;
  return (
    <li className={css["card"]} data-state={state}>
      <p className={css["headline"]}>
        <b>
          <code>{target}</code>
        </b>
        <span>{text(`watches.state.${state}`)}</span>
      </p>
      <p className={css["line"]}>
        {text("watches.by", { client, member })} ·{" "}
        {startRevision === 0 ? text("watches.from.now") : text("watches.from", { revision: startRevision })} ·{" "}
        {text("watches.delivered", { count: deliveredCount })}
      </p>
      {why === null ? null : <p className={css["line"]}>{why}</p>}
      {delivered.length === 0 ? null : (
        <ol className={css["events"]} aria-label={text("watches.events")}>
          {delivered.toReversed().map(({ type, key, revision }, i) => (
            <li key={`${revision}/${key}/${delivered.length - i}`} data-type={type}>
              <span>{revision}</span>
              <b>{type === "put" ? "PUT" : "DELETE"}</b>
              <code>{key}</code>
            </li>
          ))}
        </ol>
      )}
    </li>
  );
});
