/** The files of one disk: what each holds, and how much of it an fsync has made durable. */
import { memo } from "react";
import type { DiskFileView } from "../../../engine/index.ts";
import type { Language } from "../../i18n/language.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import css from "./etcd.module.css";

interface Props {
  readonly files: readonly DiskFileView[];
  /** Of the largest file on any disk: bars are drawn to one scale. */
  readonly bytesMax: number;
}

export const DiskFiles = memo(function DiskFiles({ files, bytesMax }: Props) {
  const { text } = useLanguage();
  return (
    <ol className={css["files"]} aria-label={text("storage.files")}>
      {files.map((file) => (
        <File key={file.name} file={file} bytesMax={bytesMax} />
      ))}
    </ol>
  );
});

const File = memo(function File({ file, bytesMax }: { readonly file: DiskFileView; readonly bytesMax: number }) {
  const language = useLanguage();
  const { text, number } = language;
  const { name, bytes, durableBytes, badBytes } = file;
  const [first = "", last = ""] = name.split("-");
  const part = (of: number): string => `${(of / Math.max(1, bytes)) * 100}%`;
  return (
    <li className={css["file"]}>
      <p className={css["headline"]}>
        <code>
          {first}-<wbr />
          {last}
        </code>
        <span>{text("storage.file.bytes", { bytes: number(bytes) })}</span>
      </p>
      <div className={css["extent"]} style={{ width: `max(0.75rem, ${(bytes / bytesMax) * 100}%)` }} aria-hidden>
        <span className={css["durable"]} style={{ width: part(durableBytes) }} />
        <span className={css["bad"]} style={{ width: part(badBytes) }} />
      </div>
      <p className={css["line"]}>
        {contents(language, file)} ·{" "}
        <b data-synced={durableBytes >= bytes ? "" : undefined}>{durability(language, file)}</b>
        {badBytes === 0 ? null : (
          <b className={css["harm"]}> {text("storage.file.bad", { bytes: number(badBytes) })}</b>
        )}
      </p>
      {file.kind === "wal" ? <p className={css["line"]}>{text("storage.file.records", { ...file.records })}</p> : null}
    </li>
  );
});

function contents({ text }: Language, file: DiskFileView): string {
  if (file.kind === "snapshot") return text("storage.file.snapshot", { index: file.index, term: file.term });
  if (file.firstIndex === 0) return text("storage.file.empty");
  return text("storage.file.wal", { first: file.firstIndex, last: file.lastIndex });
}

function durability({ text, number }: Language, file: DiskFileView): string {
  const { bytes, durableBytes } = file;
  if (durableBytes >= bytes) return text("storage.file.synced");
  if (durableBytes === 0) return text("storage.file.unsynced");
  return file.kind === "snapshot" || file.durableIndex === 0
    ? text("storage.file.partly", { bytes: number(durableBytes) })
    : text("storage.file.partly.index", { bytes: number(durableBytes), index: file.durableIndex });
}
