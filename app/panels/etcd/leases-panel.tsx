/** Leases: what is left of each, which keys hang on it, who renews it, and what set its time last. */
import { memo } from "react";
import type { LeaseView } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { useView } from "../../store/use.ts";
import { SpanRing } from "../lock/span-ring.tsx";
import { TryCommands } from "./try-commands.tsx";
import css from "./etcd.module.css";

const TO_TRY = ["lease grant 15"];
const KEYS_SHOWN = 8;

export default function LeasesPanel() {
  const { text } = useLanguage();
  const leases = useView((view) => view.etcd?.leases ?? null);
  if (leases === null) return null;
  const listed = [...leases.values()];
  const alive = listed.filter(({ endedAt }) => endedAt === null);
  const ended = listed.filter(({ endedAt }) => endedAt !== null).toReversed();
  return (
    <div className={css["pad"]}>
      {listed.length === 0 ? <p className={css["quiet"]}>{text("leases.none")}</p> : null}
      {alive.length === 0 ? <TryCommands commands={TO_TRY} /> : null}
      <ol className={css["cards"]}>
        {[...alive, ...ended].map((lease) => (
          <Lease key={lease.id} lease={lease} />
        ))}
      </ol>
    </div>
  );
}

const Lease = memo(function Lease({ lease }: { readonly lease: LeaseView }) {
  const { text, seconds } = useLanguage();
  const isOwn = useView(({ etcd }) => lease.grantedTo !== null && etcd?.console?.id === lease.grantedTo);
  const { id, ttl, grantedTo, expiresAt, renewedAt, by, renewals, keys, state, endedAt } = lease;
  return (
    <li className={css["card"]} data-state={state}>
      <p className={css["headline"]}>
        <b>
          {text("leases.lease")} <code>{id}</code>
        </b>
        <span>{text(`leases.state.${state}`)}</span>
      </p>
      <p className={css["line"]}>
        {text("leases.ttl", { ttl })}
        {grantedTo === null ? null : ` · ${text("leases.granted-to", { client: grantedTo })}`}
        {` · ${text("leases.renewals", { count: renewals })}`}
      </p>
      <p className={css["line"]}>
        {endedAt === null
          ? text(`leases.by.${by}`, { at: seconds(renewedAt, 1) })
          : text("leases.ended", { at: seconds(endedAt, 1) })}
      </p>
      {keys.length === 0 ? null : (
        <p className={css["chips"]}>
          {keys.slice(0, KEYS_SHOWN).map((key) => (
            <code key={key}>{key}</code>
          ))}
          {keys.length > KEYS_SHOWN ? <span>{text("leases.more", { count: keys.length - KEYS_SHOWN })}</span> : null}
        </p>
      )}
      {endedAt === null && isOwn ? (
        <TryCommands commands={[`lease keep-alive ${id}`, `put session on --lease=${id}`, `lease revoke ${id}`]} />
      ) : null}
      {endedAt === null && expiresAt !== null ? <SpanRing from={renewedAt} until={expiresAt} /> : null}
    </li>
  );
});
