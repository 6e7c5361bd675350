/** A lab of one's own: which lock, how many clients, how long things take. What is out of range is refused by its range. */
import { type FormEvent, useMemo, useState } from "react";
import {
  checkLab,
  LAB_CLIENTS_MAX,
  LAB_STORIES,
  LAB_SYSTEMS,
  LAB_VARIANTS,
  type LabConfig,
  labRunConfig,
} from "../../../engine/lab-stories.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { usePlayer } from "../../player/use.ts";
import { specOf } from "../../store/selectors.ts";
import { useWorld } from "../../store/use.ts";
import { Button } from "../../ui/button.tsx";
import { Check, Range } from "../../ui/field.tsx";
import { Select } from "../../ui/select.tsx";
import { ClientForm } from "./client-form.tsx";
import { Disturb } from "./disturb.tsx";
import css from "./lab.module.css";

const SECOND = 1_000_000;
const SERVERS_MAX = 7;
/** Those whose losers try again after a while. */
const POLLING: ReadonlySet<LabConfig["system"]> = new Set(["etcd-txn", "redis-timestamp", "redis-token", "redlock"]);
/** What a new lab begins from: the first of each program that a story has, or else the first of its system. */
const TEMPLATES: ReadonlyMap<string, LabConfig> = new Map(
  LAB_SYSTEMS.flatMap((system) => {
    const labs = LAB_STORIES.map(({ lab }) => lab).filter((lab) => lab.system === system);
    return LAB_VARIANTS[system].flatMap((variant) => {
      const lab = labs.find((one) => one.variant === variant) ?? labs[0];
      return lab === undefined ? [] : [[`${system}/${variant}`, { ...lab, variant }] as const];
    });
  }),
);
const NAMES = [...TEMPLATES.keys()];

export default function SetupPanel() {
  const spec = useWorld(specOf);
  // Another lab brings its own figures into the form.
  return spec.config.lab === undefined ? null : (
    <>
      <Form key={JSON.stringify(spec)} lab={spec.config.lab} seed={spec.seed} />
      <Disturb lab={spec.config.lab} />
    </>
  );
}

function Form({ lab: present, seed }: { readonly lab: LabConfig; readonly seed: number }) {
  const { text, find, number } = useLanguage();
  const player = usePlayer();
  const [lab, setLab] = useState(present);
  const bad = useMemo(() => checkLab(lab), [lab]);
  const { params, clients } = lab;
  const seconds = (micros: number): string =>
    text("lab.seconds", { seconds: number(micros / SECOND, micros % SECOND === 0 ? 0 : 1) });
  const setParams = (part: Partial<LabConfig["params"]>): void => setLab({ ...lab, params: { ...params, ...part } });
  const choose = (name: string): void => {
    const template = TEMPLATES.get(name);
    if (template !== undefined) setLab({ ...template, clients: crowd(template, clients.length), fenced: lab.fenced });
  };
  const start = (event: FormEvent): void => {
    event.preventDefault();
    if (bad !== null) return;
    player.setSpeed(1);
    void player.restart({ seed, config: labRunConfig(lab) }).then((stands) => (stands ? player.play() : undefined));
  };
  return (
    <form className={css["setup"]} onSubmit={start}>
      <Select
        label={text("lab.lock")}
        value={`${lab.system}/${lab.variant}`}
        options={NAMES.map((name) => ({ value: name, text: nameOf(name, find) }))}
        onChange={choose}
      />
      <Range
        label={text("lab.clients")}
        value={clients.length}
        min={1}
        max={LAB_CLIENTS_MAX}
        step={1}
        figure={String(clients.length)}
        onChange={(count) => setLab({ ...lab, clients: crowd(lab, count) })}
      />
      <Range
        label={text("lab.servers")}
        value={lab.servers}
        min={1}
        max={SERVERS_MAX}
        step={1}
        figure={String(lab.servers)}
        onChange={(servers) => setLab({ ...lab, servers, clients: reaching(lab.clients, servers) })}
      />
      <Range
        label={text("lab.ttl")}
        value={params.ttl / SECOND}
        min={1}
        max={600}
        step={1}
        figure={seconds(params.ttl)}
        onChange={(value) => setParams({ ttl: value * SECOND })}
      />
      <Range
        label={text("lab.work")}
        value={params.work / SECOND}
        min={0}
        max={60}
        step={0.5}
        figure={seconds(params.work)}
        onChange={(value) => setParams({ work: Math.round(value * SECOND) })}
      />
      {POLLING.has(lab.system) ? (
        <Range
          label={text("lab.retry")}
          value={params.retry / SECOND}
          min={0.1}
          max={5}
          step={0.1}
          figure={seconds(params.retry)}
          onChange={(value) => setParams({ retry: Math.round(value * SECOND) })}
        />
      ) : null}
      <Check
        label={text("lab.beats")}
        what={text("lab.beats.what")}
        checked={params.beatFirst !== null}
        onChange={(on) => setParams({ beatFirst: on ? Math.min(SECOND, params.beatEvery) : null })}
      />
      <Range
        label={text("lab.beat")}
        value={params.beatEvery / SECOND}
        min={0.5}
        max={30}
        step={0.5}
        figure={seconds(params.beatEvery)}
        onChange={(value) => setParams({ beatEvery: Math.round(value * SECOND) })}
      />
      <Range
        label={text("lab.limit")}
        value={(params.limit ?? 0) / SECOND}
        min={0}
        max={60}
        step={0.5}
        figure={params.limit === null ? text("lab.limit.none") : seconds(params.limit)}
        onChange={(value) => setParams({ limit: value === 0 ? null : Math.round(value * SECOND) })}
      />
      <ClientForm lab={lab} onChange={setLab} />
      <Check
        label={text("lab.deadline")}
        what={text("lab.deadline.what")}
        checked={params.ownDeadline}
        onChange={(ownDeadline) => setParams({ ownDeadline })}
      />
      {lab.system.startsWith("etcd") ? (
        <Check
          label={text("lab.checkpoints")}
          what={text("lab.checkpoints.what")}
          checked={lab.setup?.checkpoints ?? false}
          onChange={(checkpoints) => setLab({ ...lab, setup: { ...lab.setup, checkpoints } })}
        />
      ) : null}
      {lab.system.startsWith("red") ? (
        <Check
          label={text("lab.durable")}
          what={text("lab.durable.what")}
          checked={lab.setup?.durable ?? false}
          onChange={(durable) => setLab({ ...lab, setup: { ...lab.setup, durable } })}
        />
      ) : null}
      <Check
        label={text("lab.fence")}
        what={text("lab.fence.what")}
        checked={lab.fenced}
        onChange={(fenced) => setLab({ ...lab, fenced })}
      />
      {bad === null ? null : (
        <p className={css["harm"]} role="alert">
          {"program" in bad
            ? text("lab.no-program", { program: bad.program })
            : text("lab.out-of-range", { field: bad.field, given: bad.given, min: bad.min, max: bad.max })}
        </p>
      )}
      <div>
        <Button type="submit" look="solid" disabled={bad !== null}>
          {text("lab.start")}
        </Button>
      </div>
    </form>
  );
}

/** Clients that come a tenth of a second apart, each as the lab has them all. */
function crowd(lab: LabConfig, count: number): LabConfig["clients"] {
  return Array.from({ length: count }, (_, i) => lab.clients[i] ?? { startAt: (i * SECOND) / 10 });
}

/** A client that talks to one server only, and that one is not there any more, talks to all. */
function reaching(clients: LabConfig["clients"], servers: number): LabConfig["clients"] {
  return clients.map(({ server, ...client }) =>
    server === undefined || server >= servers ? client : { ...client, server },
  );
}

function nameOf(name: string, find: (key: string) => string | null): string {
  const [system = "", variant = ""] = name.split("/");
  return `${find(`lab.system.${system}`) ?? system} · ${find(`lab.variant.${variant}`) ?? variant}`;
}
