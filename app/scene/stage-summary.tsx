import { useEffect, useRef, useState } from "react";
import { useLanguage } from "../i18n/use-text.ts";
import { everLed, memberIds } from "../store/selectors.ts";
import { useView, useWorldId } from "../store/use.ts";
import { readWorld } from "../store/worlds.ts";
import { flightName } from "./words.ts";

const EVERY_MS = 3_000;
const LISTED = 6;

/** What the canvas layers show, for those who listen: told at rest, never once a frame. */
export default function StageSummary() {
  const language = useLanguage();
  const { text, list } = language;
  const world = useWorldId();
  const ids = useView(memberIds);
  const [said, setSaid] = useState("");
  const before = useRef("");

  useEffect(() => {
    const tell = (): void => {
      const { view } = readWorld(world);
      const flights = [...view.flights.values()];
      const items = flights
        .slice(0, LISTED)
        .map((flight) =>
          text("stage.summary.item", { kind: flightName(language, flight), from: flight.from, to: flight.to }),
        );
      const listed = list(items);
      const more = flights.length - items.length;
      const words =
        flights.length === 0
          ? text("stage.summary.none")
          : text("stage.summary", {
              count: flights.length,
              list: more > 0 ? text("stage.summary.more", { list: listed, more }) : listed,
            });
      const logs = (everLed(view) ? ids : []).map((id) => {
        const member = view.members.get(id);
        const last = view.logs.get(id)?.cells.at(-1);
        return member === undefined || last === undefined
          ? text("member.log.empty", { id })
          : text("member.log", {
              id,
              length: member.lastIndex,
              term: last.term,
              commit: member.commit,
              applied: member.applied,
            });
      });
      const all = [words, ...logs].join("\n");
      if (all === before.current) return;
      before.current = all;
      setSaid(all);
    };
    tell();
    const timer = window.setInterval(tell, EVERY_MS);
    return () => window.clearInterval(timer);
  }, [world, language, text, list, ids]);

  return (
    <div className="heard">
      {said.split("\n").map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}
