import type { Flight } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { attentionOf } from "../store/attention.ts";
import { useView, useWorldId } from "../store/use.ts";
import { arrivalWords } from "./arrival.ts";
import { FlightActs } from "./flight-acts.tsx";
import { GlyphIcon } from "./glyph-icon.tsx";
import css from "./stage.module.css";
import { flightName } from "./words.ts";

const LISTED = 40;

/** Every message in flight as a row: the stage's canvas for keyboard and ear. */
export default function MessageList() {
  const language = useLanguage();
  const { text } = language;
  const flights = useView((view) => view.flights);
  const attention = attentionOf(useWorldId());
  const listed = [...flights.values()].slice(0, LISTED);
  const point = (flight: Flight | null) => () => attention.setState({ pointedAt: flight?.id ?? null });
  return (
    <div className={css["messages"]}>
      <p className={css["quiet"]}>{listed.length === 0 ? text("messages.none") : text("messages.hint")}</p>
      <ul>
        {listed.map((flight) => (
          <li key={flight.id}>
            <div
              onPointerEnter={point(flight)}
              onPointerLeave={point(null)}
              onFocus={point(flight)}
              onBlur={point(null)}
            >
              <GlyphIcon kind={flight.lost === null ? flight.kind : "lost"} />
              <span>
                {flightName(language, flight)}
                <small>
                  {flight.from} → {flight.to} · {text("member.term", { term: flight.term })} ·{" "}
                  {arrivalWords(language, flight)}
                </small>
              </span>
              <FlightActs flight={flight} />
            </div>
          </li>
        ))}
      </ul>
      {flights.size > LISTED ? (
        <p className={css["quiet"]}>{text("messages.more", { count: flights.size - LISTED })}</p>
      ) : null}
    </div>
  );
}
