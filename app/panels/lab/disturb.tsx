/** What the stories do to one process, for whoever makes one: it is cut off from all others, or its clock is wrong. */
import { type FormEvent, useState } from "react";
import type { Command, LabConfig, ProcessId } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { usePlayer } from "../../player/use.ts";
import { cuts as cutsOf } from "../../store/selectors.ts";
import { letterOf } from "../../store/lock-facts.ts";
import { useView } from "../../store/use.ts";
import { Button } from "../../ui/button.tsx";
import { Range } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import css from "./lab.module.css";

const SECOND = 1_000_000;
const DEEDS = ["cut-off", "reconnect", "clock-ahead", "clock-back", "clock-rate"] as const;
type Deed = (typeof DEEDS)[number];

interface LinkEnds {
  readonly from: ProcessId;
  readonly to: ProcessId;
}

export function Disturb({ lab }: { readonly lab: LabConfig }) {
  const { text, number } = useLanguage();
  const player = usePlayer();
  const cuts = useView(cutsOf);
  const servers = Array.from({ length: lab.servers }, (_, i) => `n${i + 1}` as ProcessId);
  const clients = lab.clients.map((_, i) => `c${i + 1}` as ProcessId);
  const all = [...clients, ...servers];
  const [chosen, setChosen] = useState<ProcessId>("c1" as ProcessId);
  const [deed, setDeed] = useState<Deed>("cut-off");
  const [seconds, setSeconds] = useState(60);
  const [percent, setPercent] = useState(150);
  const process = all.includes(chosen) ? chosen : (all[0] as ProcessId);
  const links = all
    .filter((other) => other !== process)
    .flatMap((other): LinkEnds[] => [
      { from: process, to: other },
      { from: other, to: process },
    ]);
  const isCut = ({ from, to }: LinkEnds): boolean => cuts.has(`${from}>${to}`);
  const command = (): Command => {
    switch (deed) {
      case "cut-off":
        return { type: "cut", links: links.filter((link) => !isCut(link)) };
      case "reconnect":
        return { type: "mend", links: links.filter(isCut) };
      case "clock-ahead":
        return { type: "clock", process, driftPpm: 0, jumpUs: seconds * SECOND };
      case "clock-back":
        return { type: "clock", process, driftPpm: 0, jumpUs: -seconds * SECOND };
      case "clock-rate":
        return { type: "clock", process, driftPpm: (percent - 100) * 10_000, jumpUs: 0 };
    }
  };
  const isPossible = deed === "cut-off" ? !links.every(isCut) : deed === "reconnect" ? links.some(isCut) : true;
  const act = (event: FormEvent): void => {
    event.preventDefault();
    if (isPossible) void player.dispatch(command());
  };
  return (
    <form className={css["setup"]} aria-label={text("lab.disturb")} onSubmit={act}>
      <Select
        label={text("lab.disturb.whom")}
        value={process}
        options={all.map((id) => ({ value: id, text: letterOf(id) }))}
        onChange={(id) => setChosen(id as ProcessId)}
      />
      <Select
        label={text("lab.disturb")}
        value={deed}
        options={DEEDS.map((id) => ({ value: id, text: text(`lab.disturb.${id}`) }))}
        onChange={(id) => setDeed(DEEDS.find((known) => known === id) ?? "cut-off")}
      />
      {deed === "clock-ahead" || deed === "clock-back" ? (
        <Range
          label={text("lab.disturb.by")}
          value={seconds}
          min={0.5}
          max={120}
          step={0.5}
          figure={text("lab.seconds", { seconds: number(seconds, 1) })}
          onChange={setSeconds}
        />
      ) : null}
      {deed === "clock-rate" ? (
        <Range
          label={text("lab.disturb.rate")}
          value={percent}
          min={50}
          max={200}
          step={5}
          figure={`${number(percent / 100, 2)} ×`}
          onChange={setPercent}
        />
      ) : null}
      <div>
        <Button type="submit" disabled={!isPossible}>
          {text("lab.disturb.do")}
        </Button>
      </div>
    </form>
  );
}
