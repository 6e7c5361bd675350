import type { ReactNode } from "react";
import type { FlightKind } from "../../engine/index.ts";
import { useText } from "../i18n/use-text.ts";
import { GlyphIcon } from "../scene/glyph-icon.tsx";
import { MarkIcon } from "../scene/mark-icon.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Check } from "../ui/field.tsx";
import css from "./pages.module.css";

const KINDS: readonly FlightKind[] = [
  "vote-request",
  "pre-vote-request",
  "vote-granted",
  "vote-refused",
  "append",
  "append-ok",
  "append-refused",
  "heartbeat",
  "heartbeat-ok",
  "snapshot",
  "forward",
  "request",
  "response",
];

interface Props {
  readonly keys: boolean;
  readonly onKeys: (on: boolean) => void;
  readonly onClose: () => void;
}

/** Gestures, keys, and what the marks mean. */
export default function HelpDialog({ keys, onKeys, onClose }: Props) {
  const text = useText();
  const shift = text("key.shift");
  const alt = text("key.alt");
  const list: readonly (readonly [readonly string[], string])[] = [
    [[text("key.space")], text("help.key.space")],
    [["←", "→"], text("help.key.step")],
    [[`${shift} ←`, `${shift} →`], text("help.key.message")],
    [[`${alt} ←`, `${alt} →`], text("help.key.role")],
    [["L"], text("help.key.leader")],
    [["H"], text("help.key.heal")],
    [["?"], text("help.key.help")],
    [[text("key.enter")], text("help.key.member")],
    [["M"], text("help.key.menu")],
    [[text("key.tab")], text("help.key.focus")],
  ];
  return (
    <Dialog title={text("help.heading")} close={text("app.close")} wide onClose={onClose}>
      <div className={css["help"]}>
        <Part title={text("help.pointer")}>
          <ul>
            <li>{text("help.pointer.click")}</li>
            <li>{text("help.pointer.menu")}</li>
            <li>{text("help.pointer.message")}</li>
            <li>{text("help.pointer.cut")}</li>
            <li>{text("help.pointer.lasso")}</li>
          </ul>
        </Part>
        <Part title={text("help.keys")}>
          <dl className={css["keys"]}>
            {list.map(([names, what]) => (
              <div key={what}>
                <dt>
                  {names.map((name) => (
                    <kbd key={name}>{name}</kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
          <Check label={text("help.keys.on")} checked={keys} onChange={onKeys} />
        </Part>
        <Part title={text("help.marks")}>
          <ul className={css["marks"]}>
            {KINDS.map((kind) => (
              <li key={kind}>
                <GlyphIcon kind={kind} /> {text(`flight.${kind}`)}
              </li>
            ))}
            <li>
              <GlyphIcon kind="lost" /> {text("help.mark.lost")}
            </li>
            <li>
              <MarkIcon mark="ring" /> {text("help.mark.ring")}
            </li>
            <li>
              <MarkIcon mark="beat" /> {text("help.mark.beat")}
            </li>
            <li>
              <MarkIcon mark="term" /> {text("help.mark.term")}
            </li>
            <li>
              <MarkIcon mark="volatile" /> {text("help.mark.volatile")}
            </li>
            <li>
              <MarkIcon mark="committed" /> {text("help.mark.committed")}
            </li>
          </ul>
        </Part>
      </div>
    </Dialog>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  );
}
