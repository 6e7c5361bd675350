import { useEffect, useRef, useState } from "react";
import {
  BROKEN_RULES,
  type BrokenRule,
  type RuleName,
  RULES,
  type Story,
  type StoryId,
  type Telling,
  type ViolationView,
} from "../../engine/index.ts";
import type { Language } from "../i18n/language.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { settings as settingsOf, violation as violationOf } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import { Check } from "../ui/field.tsx";
import { breachWords } from "./breach.ts";
import { BreachJump } from "./breach-jump.tsx";
import css from "./rules.module.css";

const NAMES = Object.keys(RULES) as readonly RuleName[];

/** What must hold, whether it does; the rules that can be switched off; and the stories of what they are for. */
export default function RulesPanel() {
  const language = useLanguage();
  const { text } = language;
  const violation = useView(violationOf);
  const kept = NAMES.filter((name) => name !== violation?.rule);
  return (
    <div className={css["rules"]}>
      <section aria-label={text("rules.heading")}>
        <h3>{text("rules.heading")}</h3>
        {violation === null ? null : <Broken key={violation.event} violation={violation} />}
        <ul className={css["lights"]}>
          {kept.map((name) => (
            <li key={name}>
              <i className={css["dot"]} aria-hidden />
              <span>
                {text(`check.${name}`)} <small>{sectionWords(language, RULES[name])}</small>
              </span>
              <small>{text("rules.holds")}</small>
            </li>
          ))}
        </ul>
      </section>
      <Stories />
      <Switches />
    </div>
  );
}

/** Sources come from the engine; what is no figure in them has a word in each language. */
function sectionWords({ text }: Language, section: string): string {
  return section
    .replace("thesis", text("rules.thesis"))
    .replace("persistent state", text("rules.persistent"))
    .replace(/Figure (\d+)/u, (_, figure: string) => text("rules.figure", { figure }));
}

function Broken({ violation }: { readonly violation: ViolationView }) {
  const language = useLanguage();
  const { text } = language;
  const shown = useRef<HTMLDivElement>(null);
  // Whoever reads further down shall see that it happened.
  useEffect(() => {
    shown.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const section = NAMES.find((name) => name === violation.rule);
  return (
    <div ref={shown} className={css["broken"]} role="status">
      <p>
        <i className={css["dot"]} data-broken="" aria-hidden />
        <b>{section === undefined ? violation.rule : text(`check.${section}`)}</b>{" "}
        <small>{section === undefined ? null : sectionWords(language, RULES[section])}</small>
        <span className={css["state"]}>{text("rules.is-broken")}</span>
      </p>
      <p>{breachWords(language, violation)}</p>
      <BreachJump violation={violation} />
    </div>
  );
}

/** One switch for each mistake; what the members do without the rule is told beside it. */
function Switches() {
  const { text } = useLanguage();
  const player = usePlayer();
  const settings = useView(settingsOf);
  const set = (rule: BrokenRule, off: boolean): void => {
    const broken = BROKEN_RULES.filter((name) => (name === rule ? off : settings.broken.includes(name)));
    void player.dispatch({ type: "settings", settings: { ...settings, broken } });
  };
  return (
    <section aria-label={text("rules.switches")}>
      <h3>{text("rules.switches")}</h3>
      <p className={css["quiet"]}>{text("rules.switches.what")}</p>
      {BROKEN_RULES.map((rule) => (
        <Check
          key={rule}
          label={text(`broken.${rule}`)}
          what={text(`broken.${rule}.about`)}
          checked={settings.broken.includes(rule)}
          onChange={(off) => set(rule, off)}
        />
      ))}
    </section>
  );
}

type Stories = readonly (Story & { readonly id: StoryId })[];

/** Fetched when the panel is opened: each is a small run. */
function Stories() {
  const { text } = useLanguage();
  const [stories, setStories] = useState<Stories>([]);
  useEffect(() => {
    let current = true;
    const fetchThem = async (): Promise<void> => {
      const { STORIES } = await import("../../engine/stories.ts");
      if (current) setStories(STORIES);
    };
    void fetchThem();
    return () => {
      current = false;
    };
  }, []);
  return (
    <section aria-label={text("stories.heading")}>
      <h3>{text("stories.heading")}</h3>
      <p className={css["quiet"]}>{text("stories.what")}</p>
      {stories.map((story) => (
        <StoryRow key={story.id} story={story} />
      ))}
    </section>
  );
}

function StoryRow({ story }: { readonly story: Stories[number] }) {
  const { text } = useLanguage();
  const player = usePlayer();
  const title = text(`story.${story.id}`);
  const tell = (telling: Telling) => {
    const how = text(story.rule === null ? `stories.${telling}.settings` : `stories.${telling}`);
    return (
      <Button aria-label={text("stories.tell", { title, how })} onClick={() => void player.tell(story, telling)}>
        {how}
      </Button>
    );
  };
  return (
    <details className={css["story"]}>
      <summary>
        {title}
        {story.rule === null ? null : <small>{text(`broken.${story.rule}`)}</small>}
      </summary>
      <p>{text(`story.${story.id}.about`)}</p>
      <div className={css["tellings"]}>
        {tell("broken")}
        {tell("kept")}
      </div>
    </details>
  );
}
