import { useState } from "react";
import type { ConfView, ProcessId } from "../../engine/index.ts";
import type { Language } from "../i18n/language.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { confOf, confPlaceOf, leaderId, memberIds, placeIn } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/select.tsx";
import { change, nextMachine, stepsTo, type Wish, WISHES, wishOf } from "./membership.ts";
import css from "./panels.module.css";

/** Who counts, and how that is changed: always through the leader. */
export function MembersSection() {
  const language = useLanguage();
  const { text } = language;
  const player = usePlayer();
  const conf = useView(confOf);
  const leader = useView(leaderId);
  const members = useView(memberIds);
  const next = nextMachine(members);
  const joint = conf !== null && conf.votersOutgoing.length > 0;

  const add = async (operation: "add-voter" | "add-learner"): Promise<void> => {
    if (next === null || leader === null) return;
    const refused = await player.dispatch({ type: "spawn", process: next });
    if (refused === null) await player.dispatch(change(leader, [{ operation, id: next }]));
  };
  const hindered = leader === null ? text("membership.no-leader") : next === null ? text("membership.full") : null;
  return (
    <section className={css["part"]} aria-label={text("membership.heading")}>
      <h3>{text("membership.heading")}</h3>
      <p>{confWords(language, conf, members)}</p>
      <div className={css["buttons"]}>
        <Button disabled={hindered !== null} onClick={() => void add("add-learner")}>
          {text("membership.add-learner", { id: next ?? "" })}
        </Button>
        <Button disabled={hindered !== null} onClick={() => void add("add-voter")}>
          {text("membership.add-voter", { id: next ?? "" })}
        </Button>
        {joint ? (
          <Button
            look="solid"
            disabled={leader === null}
            onClick={() => (leader === null ? undefined : void player.dispatch(change(leader, [], "explicit")))}
          >
            {text("membership.leave-joint")}
          </Button>
        ) : null}
      </div>
      {hindered === null ? null : (
        <p className={css["quiet"]} role="status">
          {hindered}
        </p>
      )}
      <details className={css["more"]}>
        <summary>{text("membership.several")}</summary>
        <Several conf={conf} leader={leader} members={members} />
      </details>
    </section>
  );
}

function confWords({ text }: Language, conf: ConfView | null, members: readonly ProcessId[]): string {
  const voters = (conf?.voters ?? members).join(" ");
  const learners = [...new Set([...(conf?.learners ?? []), ...(conf?.learnersNext ?? [])])].join(" ");
  const outgoing = (conf?.votersOutgoing ?? []).join(" ");
  const first =
    outgoing === "" ? text("membership.voters", { voters }) : text("membership.joint", { outgoing, voters });
  return learners === "" ? first : `${first} ${text("membership.learners", { learners })}`;
}

interface SeveralProps {
  readonly conf: ConfView | null;
  readonly leader: ProcessId | null;
  readonly members: readonly ProcessId[];
}

/** Each machine with what it shall be; all of it is one change. */
function Several({ conf, leader, members }: SeveralProps) {
  const { text } = useLanguage();
  const player = usePlayer();
  const [wishes, setWishes] = useState<ReadonlyMap<ProcessId, Wish>>(new Map());
  const [byHand, setByHand] = useState(false);
  const steps = stepsTo(conf, wishes);
  const next = nextMachine(members);
  const propose = async (to: ProcessId): Promise<void> => {
    const refused = await player.dispatch(change(to, steps, byHand ? "explicit" : "auto"));
    if (refused === null) setWishes(new Map());
  };
  return (
    <div className={css["part"]}>
      <p className={css["quiet"]}>{text("membership.several.what")}</p>
      <div className={css["sliders"]}>
        {members.map((id) => (
          <Select
            key={id}
            label={id}
            value={wishes.get(id) ?? wishOf(placeIn(conf, id))}
            options={WISHES.map((wish) => ({ value: wish, text: text(`membership.wish.${wish}`) }))}
            onChange={(value) => {
              const wish = WISHES.find((known) => known === value);
              if (wish !== undefined) setWishes(new Map([...wishes, [id, wish]]));
            }}
          />
        ))}
      </div>
      <Select
        label={text("membership.transition")}
        value={byHand ? "explicit" : "auto"}
        options={[
          { value: "auto", text: text("membership.transition.auto") },
          { value: "explicit", text: text("membership.transition.explicit") },
        ]}
        onChange={(value) => setByHand(value === "explicit")}
      />
      <div className={css["buttons"]}>
        <Button
          look="solid"
          disabled={leader === null || steps.length === 0}
          onClick={() => (leader === null ? undefined : void propose(leader))}
        >
          {text("membership.propose", { count: steps.length })}
        </Button>
        <Button
          disabled={next === null}
          onClick={() => (next === null ? undefined : void player.dispatch({ type: "spawn", process: next }))}
        >
          {text("membership.spawn", { id: next ?? "" })}
        </Button>
      </div>
      <ul className={css["places"]}>
        {members.map((id) => (
          <Place key={id} id={id} />
        ))}
      </ul>
    </div>
  );
}

function Place({ id }: { readonly id: ProcessId }) {
  const { text } = useLanguage();
  const place = useView(confPlaceOf(id));
  return (
    <li>
      <b>{id}</b> {text(`membership.place.${place}`)}
    </li>
  );
}
