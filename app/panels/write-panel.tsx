import { type FormEvent, useEffect, useRef, useState } from "react";
import type { ProcessId, WriteView } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { attentionOf, useAttention } from "../store/attention.ts";
import { clientIds, memberIds, memberOf, logOf, clientOf } from "../store/selectors.ts";
import { useView, useWorldId } from "../store/use.ts";
import "../ui/css.ts";
import { Button } from "../ui/button.tsx";
import { Select, TextField } from "../ui/field.tsx";
import css from "./panels.module.css";
import { writeStage } from "./write-stage.ts";

const VALUE_MAX = 64;
const LISTED = 6;
const ANY = "";

/** A value goes in through a client; its way through every member's log is followed below. */
export function WritePanel() {
  const { text } = useLanguage();
  const world = useWorldId();
  const player = usePlayer();
  const members = useView(memberIds);
  const clients = useView(clientIds);
  const attention = attentionOf(world);
  const through = useAttention((state) => state.writeThrough);
  const asked = useAttention((state) => state.writeAsked);
  const [value, setValue] = useState("");
  const [chosen, setChosen] = useState<ProcessId | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const client = clients.find((id) => id === chosen) ?? clients[0] ?? null;

  useEffect(() => {
    if (asked > 0) field.current?.focus();
  }, [asked]);

  const write = async (by: ProcessId, typed: string): Promise<void> => {
    const refused = await player.dispatch({ type: "write", client: by, member: through, value: typed });
    if (refused === null) setValue("");
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const typed = value.trim();
    if (typed === "") setProblem(text("write.empty"));
    else if (typed.length > VALUE_MAX) setProblem(text("write.too-long", { max: VALUE_MAX }));
    else if (client !== null) {
      void write(client, typed);
    }
  };

  return (
    <section className={css["pad"]} aria-label={text("write.heading")}>
      <form className={css["write"]} onSubmit={submit}>
        <TextField
          ref={field}
          label={text("write.value")}
          placeholder={text("write.value.hint")}
          value={value}
          problem={problem}
          onChange={(typed) => {
            setValue(typed);
            setProblem(null);
          }}
        />
        <Select
          label={text("write.through")}
          value={through ?? ANY}
          options={[{ value: ANY, text: text("write.any") }, ...members.map((id) => ({ value: id, text: id }))]}
          onChange={(id) => attention.setState({ writeThrough: members.find((member) => member === id) ?? null })}
        />
        {clients.length > 1 ? (
          <Select
            label={text("write.client")}
            value={client ?? ""}
            options={clients.map((id) => ({ value: id, text: id }))}
            onChange={(id) => setChosen(clients.find((known) => known === id) ?? null)}
          />
        ) : null}
        <Button type="submit" look="solid" disabled={client === null}>
          {text("write.send")}
        </Button>
      </form>
      <Writes clients={clients} members={members} />
    </section>
  );
}

interface WritesProps {
  readonly clients: readonly ProcessId[];
  readonly members: readonly ProcessId[];
}

function Writes({ clients, members }: WritesProps) {
  const { text } = useLanguage();
  const none = useView((view) => clients.every((id) => (clientOf(id)(view)?.writes.length ?? 0) === 0));
  if (none) return <p className={css["quiet"]}>{text("write.none")}</p>;
  return (
    <table className={css["writes"]}>
      <caption className="heard">{text("write.list")}</caption>
      <thead>
        <tr>
          <th scope="col">{text("write.value")}</th>
          {members.map((id) => (
            <th key={id} scope="col">
              {id}
            </th>
          ))}
        </tr>
      </thead>
      {clients.map((id) => (
        <ClientWrites key={id} id={id} members={members} named={clients.length > 1} />
      ))}
    </table>
  );
}

function ClientWrites({
  id,
  members,
  named,
}: {
  readonly id: ProcessId;
  readonly members: readonly ProcessId[];
  readonly named: boolean;
}) {
  const language = useLanguage();
  const { text } = language;
  const client = useView(clientOf(id));
  const writes = client?.writes.slice(-LISTED).reverse() ?? [];
  return (
    <tbody>
      {writes.map((write) => (
        <tr key={write.request}>
          <th scope="row">
            <span className={css["written"]}>{named ? `${id} ${write.value}` : write.value}</span>
            <small data-outcome={write.outcome}>
              {text(`write.outcome.${write.outcome}`)}
              {write.why === null || write.outcome === "done" ? null : `: ${language.sayText("rule", write.why, {})}`}
            </small>
          </th>
          {members.map((member) => (
            <td key={member}>
              <Mark member={member} entry={write.entry} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function Mark({ member, entry }: { readonly member: ProcessId; readonly entry: WriteView["entry"] }) {
  const { text } = useLanguage();
  const stage = useView((view) => {
    const facts = memberOf(member)(view);
    return facts === null ? "none" : writeStage(entry, facts, logOf(member)(view));
  });
  const words = text("write.at", { member, stage: text(`write.stage.${stage}`) });
  return (
    <span className={css["mark"]} data-term="" data-stage={stage} style={{ "--term": entry?.term ?? 0 }} title={words}>
      <span className="heard">{words}</span>
    </span>
  );
}
