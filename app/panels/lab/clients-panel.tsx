/** What each client knows, in its program's own words; and the hand of a debugger on each. */
import { memo } from "react";
import type { LabClientView } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { usePlayer } from "../../player/use.ts";
import { useView } from "../../store/use.ts";
import { Button } from "../../ui/button.tsx";
import { Badge } from "../lock/badge.tsx";
import { letterOf } from "../../store/lock-facts.ts";
import css from "./lab.module.css";

export function ClientsKnow() {
  const { text } = useLanguage();
  const clients = useView((view) => view.lab?.clients ?? null);
  if (clients === null) return null;
  return (
    <ol className={css["knows"]} aria-label={text("lab.knows")}>
      {clients.map((client) => (
        <Knows key={client.id} client={client} />
      ))}
    </ol>
  );
}

const Knows = memo(function Knows({ client }: { readonly client: LabClientView }) {
  const { text } = useLanguage();
  const player = usePlayer();
  const { id, knows, believes, held, liveness, state, error } = client;
  const name = letterOf(id);
  const step = async (): Promise<void> => {
    if (held) await player.dispatch({ type: "step-client", client: id });
    await player.step(`step:${id}`);
  };
  return (
    <li data-believes={believes ? "" : undefined}>
      <Badge id={id} />
      <div>
        <p className={css["line"]}>
          <b>{believes ? text("lab.believes") : text(`lock.state.${state}`)}</b>
          {liveness === "running" ? null : <small>{text(`liveness.${liveness}`)}</small>}
        </p>
        <dl>
          {knows.map(({ name: fact, value }) => (
            <div key={fact}>
              <dt>{fact}</dt>
              <dd>
                <code title={value}>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
        {error === null ? null : <p className={css["harm"]}>{error}</p>}
      </div>
      <div className={css["hands"]}>
        <Button aria-label={text("lab.step.label", { id: name })} onClick={() => void step()}>
          {text("lab.step")}
        </Button>
        <Button
          aria-pressed={held}
          aria-label={text("lab.hold.label", { id: name })}
          onClick={() => void player.dispatch({ type: "hold-back", client: id, on: !held })}
        >
          {text(held ? "lab.let-go" : "lab.hold")}
        </Button>
        <Menu id={id} liveness={liveness} />
      </div>
    </li>
  );
});

function Menu({ id, liveness }: { readonly id: LabClientView["id"]; readonly liveness: LabClientView["liveness"] }) {
  const { text } = useLanguage();
  const player = usePlayer();
  const down = liveness === "crashed" || liveness === "panicked";
  const paused = liveness === "paused";
  return (
    <>
      {down ? null : (
        <Button
          aria-label={text(paused ? "lab.resume.label" : "lab.pause.label", { id: letterOf(id) })}
          onClick={() => void player.dispatch({ type: paused ? "resume" : "pause", process: id })}
        >
          {text(paused ? "lab.resume" : "lab.pause")}
        </Button>
      )}
      <Button
        aria-label={text(down ? "lab.restart.label" : "lab.crash.label", { id: letterOf(id) })}
        onClick={() => void player.dispatch({ type: down ? "restart" : "crash", process: id })}
      >
        {text(down ? "lab.restart" : "lab.crash")}
      </Button>
    </>
  );
}
