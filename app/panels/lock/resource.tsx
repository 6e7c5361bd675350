import { memo } from "react";
import type { ResourceView, ResourceWrite } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { usePlayer } from "../../player/use.ts";
import { Check } from "../../ui/field.tsx";
import { Badge } from "./badge.tsx";
import { letterOf } from "../../store/lock-facts.ts";
import css from "./lock.module.css";

const SHOWN = 6;

/** What the lock protects: who wrote last, which tokens it takes, and what it refused. */
export const Resource = memo(function Resource({ resource }: { readonly resource: ResourceView }) {
  const { text } = useLanguage();
  const player = usePlayer();
  const { fenced, greatest, value, writer } = resource;
  return (
    <section aria-label={text("lock.resource")}>
      <h3>
        {text("lock.resource")}
        <small>
          {fenced
            ? greatest === null
              ? text("lock.fenced.any")
              : text("lock.fenced", { token: greatest })
            : text("lock.open")}
        </small>
      </h3>
      <Check
        label={text("lab.fence")}
        what={text("lab.fence.what")}
        checked={fenced}
        onChange={(on) => void player.dispatch({ type: "fence", process: resource.id, on })}
      />
      <p className={css["value"]}>
        <code>{value ?? "–"}</code>
        {writer === null ? null : <small>{text("lock.written-by", { id: letterOf(writer) })}</small>}
      </p>
      {resource.lostUpdates === 0 ? null : (
        <p className={css["harm"]}>{text("lock.lost-updates", { count: resource.lostUpdates })}</p>
      )}
      <ol className={css["writes"]}>
        {resource.writes
          .slice(-SHOWN)
          .reverse()
          .map((write) => (
            <Write key={write.event} write={write} />
          ))}
      </ol>
    </section>
  );
});

const Write = memo(function Write({ write }: { readonly write: ResourceWrite }) {
  const { text, number } = useLanguage();
  const player = usePlayer();
  const { client, value, token, at, taken, greatest, lostUpdate } = write;
  const outcome = !taken
    ? text("lock.write.refused", { greatest: greatest ?? "?" })
    : lostUpdate
      ? text("lock.write.lost-update")
      : text("lock.write.taken");
  return (
    <li data-outcome={!taken ? "refused" : lostUpdate ? "harm" : "taken"}>
      <button
        type="button"
        aria-label={text("events.go", { time: `${number(at / 1_000_000, 3)} s` })}
        onClick={() => {
          player.pause();
          void player.seek(at);
        }}
      >
        {number(at / 1_000_000, 2)}
      </button>
      <Badge id={client} small />
      <code>{value}</code>
      <span>{token === null ? "" : `#${token}`}</span>
      <small>{outcome}</small>
    </li>
  );
});
