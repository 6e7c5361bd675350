import { useEffect, useId, useRef, useState } from "react";
import { useText } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import css from "./panels.module.css";

interface Props {
  readonly what: "share" | "embed";
  readonly onClose: () => void;
}

/** The link to the moment shown, or the frame that shows it on another page; always selectable, copied where allowed. */
export default function ShareDialog({ what, onClose }: Props) {
  const text = useText();
  const player = usePlayer();
  const [address, setAddress] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let current = true;
    const prepare = async (): Promise<void> => {
      const outcome = await player.share();
      if (!current) return;
      if (outcome.ok) setAddress(outcome.value);
      else setFailed(true);
    };
    void prepare();
    return () => {
      current = false;
    };
  }, [player]);
  return (
    <Dialog title={text(`${what}.heading`)} close={text("app.close")} onClose={onClose}>
      <p>{text(`${what}.what`)}</p>
      {failed ? <p role="alert">{text("problem.unknown", { detail: text("share.link") })}</p> : null}
      {address === null ? (
        failed ? null : (
          <p role="status">{text("share.preparing")}</p>
        )
      ) : what === "share" ? (
        <>
          <Copyable label={text("share.link")} content={address} chosen />
          <details className={css["more"]}>
            <summary>{text("embed.heading")}</summary>
            <p>{text("embed.what")}</p>
            <Copyable label={text("embed.code")} content={frameOf(address, text("app.title"))} />
          </details>
        </>
      ) : (
        <Copyable label={text("embed.code")} content={frameOf(address, text("app.title"))} chosen />
      )}
    </Dialog>
  );
}

/** The single-file page beside this one, in a frame that may run scripts and nothing else. */
export function frameOf(address: string, title: string): string {
  const url = new URL(address);
  url.pathname = url.pathname.replace(/[^/]*$/u, "embed.html");
  const source = url.href.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<iframe src="${source}" title="${title}" loading="lazy" sandbox="allow-scripts" width="100%" height="480" frameborder="0"></iframe>`;
}

interface CopyableProps {
  readonly label: string;
  readonly content: string;
  /** Selected from the start: one keystroke copies it. */
  readonly chosen?: boolean;
}

function Copyable({ label, content, chosen = false }: CopyableProps) {
  const text = useText();
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (chosen) field.current?.select();
  }, [chosen]);
  const copy = async (): Promise<void> => {
    field.current?.select();
    try {
      await navigator.clipboard.writeText(content);
      setSaid(text("share.copied"));
    } catch {
      setSaid(text("share.select"));
    }
  };
  return (
    <div className={css["copy"]}>
      <label htmlFor={id}>{label}</label>
      <textarea ref={field} id={id} readOnly rows={4} value={content} onFocus={(event) => event.target.select()} />
      <Button look="solid" onClick={() => void copy()}>
        {text("share.copy")}
      </Button>
      <p role="status">{said}</p>
    </div>
  );
}
