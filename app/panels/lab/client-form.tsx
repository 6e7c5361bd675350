/** What differs for one client of a lab: when it comes, and how long it waits at most. */
import { useState } from "react";
import type { LabClientSpec, LabConfig } from "../../../engine/lab-stories.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { letterOf } from "../../store/lock-facts.ts";
import { Range } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import css from "./lab.module.css";

const SECOND = 1_000_000;

interface Props {
  readonly lab: LabConfig;
  readonly onChange: (lab: LabConfig) => void;
}

export function ClientForm({ lab, onChange }: Props) {
  const { text, number } = useLanguage();
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, lab.clients.length - 1);
  const client = lab.clients[at] as LabClientSpec;
  const name = letterOf(`c${at + 1}`);
  const change = (part: Partial<LabClientSpec>): void =>
    onChange({ ...lab, clients: lab.clients.with(at, { ...client, ...part }) });
  const seconds = (micros: number): string => text("lab.seconds", { seconds: number(micros / SECOND, 1) });
  const limit = client.params?.limit === undefined ? lab.params.limit : client.params.limit;
  return (
    <fieldset className={css["one"]}>
      <legend>{text("lab.one")}</legend>
      <Select
        label={text("lab.one.which")}
        value={String(at)}
        options={lab.clients.map((_, i) => ({ value: String(i), text: letterOf(`c${i + 1}`) }))}
        onChange={(value) => setChosen(Number(value))}
      />
      <Range
        label={text("lab.one.starts", { id: name })}
        value={client.startAt / SECOND}
        min={0}
        max={60}
        step={0.1}
        figure={seconds(client.startAt)}
        onChange={(value) => change({ startAt: Math.round(value * SECOND) })}
      />
      <Range
        label={text("lab.one.limit", { id: name })}
        value={(limit ?? 0) / SECOND}
        min={0}
        max={60}
        step={0.5}
        figure={limit === null ? text("lab.limit.none") : seconds(limit)}
        onChange={(value) =>
          change({ params: { ...client.params, limit: value === 0 ? null : Math.round(value * SECOND) } })
        }
      />
    </fieldset>
  );
}
