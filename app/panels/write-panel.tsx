import { type FormEvent, Suspense, useEffect, useRef, useState } from "react";
import type { ProcessId } from "../../engine/index.ts";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useText } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { attentionOf, useAttention } from "../store/attention.ts";
import { clientIds, memberIds } from "../store/selectors.ts";
import type { Mirror } from "../store/mirror.ts";
import { useView, useWorldId } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import css from "./panels.module.css";

const WriteResults = lazyWorded(() => import("./write-results.tsx"));

const VALUE_MAX = 64;
const ANY = "";

const nothingAsked = (view: Mirror): boolean => {
  for (const { writes, reads } of view.clients.values()) if (writes.length + reads.length > 0) return false;
  return true;
};

/** A value goes in through a client; its way through every member's log is followed below. */
export default function WritePanel() {
  const text = useText();
  const world = useWorldId();
  const player = usePlayer();
  const members = useView(memberIds);
  const clients = useView(clientIds);
  const attention = attentionOf(world);
  const through = useAttention((state) => state.writeThrough);
  const asked = useAttention((state) => state.writeAsked);
  const [value, setValue] = useState("");
  const [chosen, setChosen] = useState<ProcessId | null>(null);
  const [serializable, setSerializable] = useState(false);
  const none = useView(nothingAsked);
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
      <form
        className={css["read"]}
        aria-label={text("read.heading")}
        onSubmit={(event) => {
          event.preventDefault();
          if (client !== null) void player.dispatch({ type: "read", client, member: through, serializable });
        }}
      >
        <Select
          bare
          label={text("read.mode")}
          value={serializable ? "serializable" : "linearizable"}
          options={[
            { value: "linearizable", text: text("read.linearizable") },
            { value: "serializable", text: text("read.serializable") },
          ]}
          onChange={(mode) => setSerializable(mode === "serializable")}
        />
        <Button type="submit" disabled={client === null}>
          {text("read.send")}
        </Button>
      </form>
      {none ? <p className={css["quiet"]}>{text("write.none")}</p> : null}
      <Suspense fallback={null}>{none ? null : <WriteResults clients={clients} members={members} />}</Suspense>
    </section>
  );
}
