/** One request followed: through the member's API, the log, the disks and the other members, to its answer, with its own times. */
import { memo, useState } from "react";
import type { RequestStep, RequestView } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { usePlayer } from "../../player/use.ts";
import { useView } from "../../store/use.ts";
import { TryCommands } from "./try-commands.tsx";
import css from "./etcd.module.css";

export default function RequestsPanel() {
  const { text } = useLanguage();
  const requests = useView((view) => view.etcd?.requests ?? null);
  const [chosen, setChosen] = useState<string | null>(null);
  if (requests === null) return null;
  const listed = [...requests.values()].toReversed();
  // Unless one is chosen, the newest that has come to its end is followed.
  const shown =
    (chosen === null ? undefined : requests.get(chosen)) ??
    listed.find(({ outcome }) => outcome !== "pending") ??
    listed[0];
  return (
    <div className={css["pad"]}>
      {shown === undefined ? <Nothing /> : <Journey request={shown} />}
      <ol className={css["requests"]} aria-label={text("requests.list")}>
        {listed.map((request) => (
          <Line key={request.id} request={request} shown={request === shown} onChoose={setChosen} />
        ))}
      </ol>
    </div>
  );
}

function Nothing() {
  const { text } = useLanguage();
  return (
    <>
      <p className={css["quiet"]}>{text("requests.none")}</p>
      <TryCommands commands={["put greeting hello", "get greeting"]} />
    </>
  );
}

/** Its steps from top to bottom, as far apart as their times, within reason. */
function Journey({ request }: { readonly request: RequestView }) {
  const { text, millis } = useLanguage();
  const { steps, sentAt, client, member, label, method, entry, outcome, error, revision } = request;
  const last = steps.at(-1);
  return (
    <section aria-label={text("requests.journey")}>
      <p className={css["headline"]}>
        <b>
          <code>{label}</code>
        </b>
        <span data-outcome={outcome}>{text(`requests.outcome.${outcome}`)}</span>
      </p>
      <p className={css["line"]}>
        {method} · {client} → {member}
        {entry === null ? null : ` · ${text("requests.entry", { term: entry.term, index: entry.index })}`}
        {revision === null ? null : ` · ${text("requests.revision", { revision })}`}
        {last === undefined ? null : ` · ${text("requests.took", { span: millis(last.at - sentAt) })}`}
      </p>
      {error === null ? null : <p className={css["harm"]}>{error}</p>}
      <ol className={css["steps"]}>
        {steps.map((step, i) => (
          <Step
            key={step.event + step.stage + step.process}
            step={step}
            since={i === 0 ? sentAt : (steps[i - 1] as RequestStep).at}
            start={sentAt}
          />
        ))}
      </ol>
    </section>
  );
}

function Step({ step, since, start }: { readonly step: RequestStep; readonly since: number; readonly start: number }) {
  const { text, millis, seconds } = useLanguage();
  const player = usePlayer();
  const { stage, at, process } = step;
  const gap = Math.min(4, Math.max(1, Math.log2(1 + (at - since) / 1_000)));
  return (
    <li data-stage={stage} style={{ "--gap": gap }}>
      <button
        type="button"
        aria-label={text("events.go", { time: seconds(at) })}
        onClick={() => {
          player.pause();
          void player.seek(at);
        }}
      >
        +{millis(at - start)}
      </button>
      <span>
        <b>{process}</b> {text(`requests.stage.${stage}`)}
      </span>
    </li>
  );
}

interface LineProps {
  readonly request: RequestView;
  readonly shown: boolean;
  readonly onChoose: (id: string) => void;
}

const Line = memo(function Line({ request, shown, onChoose }: LineProps) {
  const { text, number } = useLanguage();
  const { id, client, label, outcome, sentAt } = request;
  return (
    <li>
      <button type="button" aria-pressed={shown} onClick={() => onChoose(id)}>
        <span>{number(sentAt / 1_000_000, 2)}</span>
        <b>{client}</b>
        <code>{label}</code>
        <small data-outcome={outcome}>{text(`requests.outcome.${outcome}`)}</small>
      </button>
    </li>
  );
});
