/** The program of the lab's clients with everybody's place in it, in a language of the reader's choice. */
import { useMemo, useState } from "react";
import type { LabView } from "../../../engine/index.ts";
import { LANGUAGES, type ListingLanguage, listingOf } from "../../../engine/lab-stories.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { usePlayer } from "../../player/use.ts";
import { useView } from "../../store/use.ts";
import { Select } from "../../ui/select.tsx";
import { CodePane, type CodeLine, type Cursor } from "../code/code-pane.tsx";
import { ClientsKnow } from "./clients-panel.tsx";
import css from "./lab.module.css";

export default function CodePanel() {
  const lab = useView((view) => view.lab);
  return lab === null ? null : <Code lab={lab} />;
}

function Code({ lab }: { readonly lab: LabView }) {
  const { text, find } = useLanguage();
  const player = usePlayer();
  const [language, setLanguage] = useState<ListingLanguage>("pseudo");
  const [breakpoints, setBreakpoints] = useState<ReadonlySet<string>>(new Set());
  const programs = useMemo(() => [...new Set(lab.clients.map(({ program }) => program))], [lab.clients]);
  const [chosen, setChosen] = useState<string | null>(null);
  const program = programs.find((id) => id === chosen) ?? programs[0] ?? "";
  const lines = useMemo(
    (): readonly CodeLine[] =>
      listingOf(program, language).map(({ text: line, steps, differs, notes }) => ({
        text: line.replaceAll("\t", "  "),
        steps,
        differs,
        notes: notes.flatMap((note) => find(`lab.note.${note}`) ?? []),
      })),
    [program, language, find],
  );
  const cursors = lab.clients
    .filter((client) => client.program === program)
    .flatMap(({ id, threads }): Cursor[] =>
      threads.flatMap(({ name, step, waits }) => (step === null ? [] : [{ client: id, thread: name, step, waits }])),
    );
  const toggle = (step: string): void => {
    const next = new Set(breakpoints);
    if (!next.delete(step)) next.add(step);
    setBreakpoints(next);
    void player.setBreakpoints([...next]);
  };
  return (
    <>
      <div className={css["bar"]}>
        {programs.length > 1 ? (
          <Select
            bare
            label={text("code.program")}
            value={program}
            options={programs.map((id) => ({ value: id, text: id }))}
            onChange={setChosen}
          />
        ) : null}
        <Select
          bare
          label={text("code.language")}
          value={language}
          options={LANGUAGES.map((id) => ({ value: id, text: text(`code.language.${id}`) }))}
          onChange={(id) => setLanguage(LANGUAGES.find((known) => known === id) ?? "pseudo")}
        />
      </div>
      {lines.length === 0 ? (
        <p className={css["quiet"]}>{text("code.none")}</p>
      ) : (
        <CodePane lines={lines} language={language} cursors={cursors} breakpoints={breakpoints} onBreakpoint={toggle} />
      )}
      <ClientsKnow />
    </>
  );
}
