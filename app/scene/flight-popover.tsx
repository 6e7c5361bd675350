import { useState } from "react";
import type { Flight, MessageId } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { flightOf } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { PopoverAt } from "../ui/popover.tsx";
import { arrivalWords } from "./arrival.ts";
import { FlightActs } from "./flight-acts.tsx";
import { GlyphIcon } from "./glyph-icon.tsx";
import css from "./stage.module.css";
import { flightTitle } from "./words.ts";

interface Props {
  readonly message: MessageId;
  readonly x: number;
  readonly y: number;
  readonly onClose: () => void;
}

/** One message in flight: its figures, and what can be done to it. */
export default function FlightPopover({ message, x, y, onClose }: Props) {
  const language = useLanguage();
  const { text } = language;
  const flight = useView(flightOf(message));
  const [last, setLast] = useState<Flight | null>(flight);
  if (flight !== null && flight !== last) setLast(flight);
  const shown = flight ?? last;
  if (shown === null) return null;
  return (
    <PopoverAt label={flightTitle(language, shown)} x={x} y={y} onClose={onClose}>
      <h3 className={css["popoverTitle"]}>
        <GlyphIcon kind={shown.lost === null ? shown.kind : "lost"} /> {flightTitle(language, shown)}
      </h3>
      <FlightFigures flight={shown} />
      {flight === null ? <p className={css["quiet"]}>{text("flight.gone")}</p> : <FlightActs flight={flight} />}
    </PopoverAt>
  );
}

/** Figures that stand in rows of their own already. */
const TOLD: ReadonlySet<string> = new Set(["term", "count"]);

function FlightFigures({ flight }: { readonly flight: Flight }) {
  const language = useLanguage();
  const { text, seconds } = language;
  const rows: (readonly [string, string])[] = [];
  if (flight.term > 0) rows.push([text("flight.term"), String(flight.term)]);
  rows.push([text("flight.sent"), seconds(flight.sentAt)]);
  rows.push([text("flight.arrives"), arrivalWords(language, flight)]);
  if (flight.lost !== null) rows.push([text("flight.lost"), text(`flight.lost.${flight.lost}`)]);
  if (flight.entryCount > 0) rows.push([text("flight.entries.label"), String(flight.entryCount)]);
  if (flight.copyOf !== null) rows.push([text("flight.copy-of"), `#${flight.copyOf}`]);
  for (const [name, value] of Object.entries(flight.figures)) {
    if (TOLD.has(name)) continue;
    const place = /^(\d+)\/(\d+)$/u.exec(String(value));
    rows.push([
      language.find(`figure.${name}`) ?? name,
      name === "rule"
        ? language.sayText("rule", String(value), flight.figures)
        : place === null
          ? String(value)
          : text("entry.place", { term: place[1] ?? "", index: place[2] ?? "" }),
    ]);
  }
  return (
    <dl className={css["figures"]}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
