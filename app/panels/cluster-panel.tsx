import { type FormEvent, useState } from "react";
import {
  type RunConfig,
  type RunSpec,
  type Settings,
  type Timing,
  type TimingProfile,
  TIMINGS,
} from "../../engine/index.ts";
import type { Language } from "../i18n/language.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { placementOf, settings as settingsOf, specOf } from "../store/selectors.ts";
import { useView, useWorld } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import { Check, Range, TextField } from "../ui/field.tsx";
import { Select } from "../ui/select.tsx";
import { MembersSection } from "./members-section.tsx";
import css from "./panels.module.css";

const PROFILES: readonly TimingProfile[] = ["paper", "wide", "etcd"];
const CLIENTS_MAX = 3;
const MEMBERS_MAX = 9;

function timingFigures(
  { text, millis }: Language,
  { tick, electionTicks, electionSpreadTicks, heartbeatTicks }: Timing,
): string {
  return text("cluster.timing.figures", {
    from: millis(tick * electionTicks),
    to: millis(tick * (electionTicks + electionSpreadTicks)),
    heartbeat: millis(tick * heartbeatTicks),
  });
}

/** The cluster that runs: its members and how they are set, changed while it runs. Then what a new one starts from. */
export default function ClusterPanel() {
  const spec = useWorld(specOf);
  return (
    <div className={css["pad"]}>
      <MembersSection />
      <LiveSettings />
      {/* A new run brings its own figures into the form. */}
      <RunForm key={JSON.stringify(spec)} spec={spec} />
    </div>
  );
}

/** Taken over at once by all members, so that before and after can be compared. */
function LiveSettings() {
  const { text } = useLanguage();
  const player = usePlayer();
  const settings = useView(settingsOf);
  const set = (part: Partial<Settings>): void =>
    void player.dispatch({ type: "settings", settings: { ...settings, ...part } });
  return (
    <section className={css["part"]} aria-label={text("settings.heading")}>
      <h3>{text("settings.heading")}</h3>
      <Check
        label={text("cluster.pre-vote")}
        checked={settings.preVote}
        what={text("cluster.pre-vote.what")}
        onChange={(preVote) => set({ preVote })}
      />
      <Check
        label={text("cluster.check-quorum")}
        checked={settings.checkQuorum}
        what={text("cluster.check-quorum.what")}
        onChange={(checkQuorum) => set({ checkQuorum })}
      />
      <Select
        label={text("settings.reads")}
        value={settings.readOnly}
        options={[
          { value: "safe", text: text("settings.reads.safe") },
          { value: "lease-based", text: text("settings.reads.lease-based") },
        ]}
        what={text(`settings.reads.${settings.readOnly}.what`)}
        onChange={(value) => set({ readOnly: value === "lease-based" ? "lease-based" : "safe" })}
      />
    </section>
  );
}

function RunForm({ spec }: { readonly spec: RunSpec }) {
  const language = useLanguage();
  const { text } = language;
  const player = usePlayer();
  const placement = useWorld(placementOf);
  // It goes on with what is switched on above; reads and rules start as they should be.
  const preVote = useView((view) => settingsOf(view).preVote);
  const checkQuorum = useView((view) => settingsOf(view).checkQuorum);
  const [config, setConfig] = useState<RunConfig>(spec.config);
  const [seed, setSeed] = useState(String(spec.seed));
  const valid = /^\d{1,16}$/u.test(seed) && Number.isSafeInteger(Number(seed));
  const set = (part: Partial<RunConfig>): void => setConfig((before) => ({ ...before, ...part }));
  const changed = JSON.stringify(config) !== JSON.stringify(spec.config) || seed !== String(spec.seed);

  const start = (event: FormEvent): void => {
    event.preventDefault();
    if (!valid) return;
    void player
      .restart({ seed: Number(seed), config: { ...config, preVote, checkQuorum } })
      .then((stands) => (stands ? player.play() : undefined));
  };

  return (
    <form className={css["part"]} onSubmit={start}>
      <h3>{text("cluster.heading")}</h3>
      <div className={css["sliders"]}>
        <Range
          label={text("cluster.members")}
          value={config.members}
          min={1}
          max={MEMBERS_MAX}
          step={1}
          figure={String(config.members)}
          onChange={(members) => set({ members })}
        />
        <Range
          label={text("cluster.clients")}
          value={config.clients}
          min={0}
          max={CLIENTS_MAX}
          step={1}
          figure={String(config.clients)}
          onChange={(clients) => set({ clients })}
        />
      </div>
      <Select
        label={text("cluster.timing")}
        value={config.timing}
        options={PROFILES.map((profile) => ({ value: profile, text: text(`cluster.timing.${profile}`) }))}
        what={timingFigures(language, TIMINGS[config.timing])}
        onChange={(value) => set({ timing: PROFILES.find((profile) => profile === value) ?? config.timing })}
      />
      <TextField
        label={text("cluster.seed")}
        inputMode="numeric"
        value={seed}
        problem={valid ? null : text("cluster.seed.invalid", { max: Number.MAX_SAFE_INTEGER })}
        what={text("cluster.seed.what")}
        onChange={setSeed}
      />
      <div className={css["buttons"]}>
        <Button type="submit" look="solid" disabled={!valid}>
          {text(changed ? "cluster.start" : "cluster.restart")}
        </Button>
        <Button onClick={() => setSeed(String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0))}>
          {text("cluster.seed.random")}
        </Button>
      </div>
      <p className={css["quiet"]}>
        {text("cluster.new-run")} {text("cluster.new-run.settings")}{" "}
        {text(`cluster.placement.${placement === "workers" ? "workers" : "inline"}`)}
      </p>
    </form>
  );
}
