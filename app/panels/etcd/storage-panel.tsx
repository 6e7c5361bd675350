/** What each member's disk holds: its write-ahead log, how much of it is durable, the snapshot it starts from, its files. */
import { memo } from "react";
import { type DiskFileView, LOG_WINDOW, type ProcessId } from "../../../engine/index.ts";
import { useLanguage } from "../../i18n/use-text.ts";
import { logOf, memberIds, memberOf } from "../../store/selectors.ts";
import { useView } from "../../store/use.ts";
import { DiskFiles } from "./disk-files.tsx";
import css from "./etcd.module.css";
import { useDisks } from "./use-disks.ts";

const NO_FILES: readonly DiskFileView[] = [];

export default function StoragePanel() {
  const { text } = useLanguage();
  const ids = useView(memberIds);
  const disks = useDisks();
  const bytesMax = Math.max(1, ...(disks ?? []).flatMap(({ files }) => files.map(({ bytes }) => bytes)));
  return (
    <div className={css["pad"]}>
      <p className={css["quiet"]}>{text("storage.about")}</p>
      <ol className={css["cards"]}>
        {ids.map((id) => (
          <MemberDisk
            key={id}
            id={id}
            files={disks?.find(({ member }) => member === id)?.files ?? NO_FILES}
            bytesMax={bytesMax}
          />
        ))}
      </ol>
    </div>
  );
}

interface DiskProps {
  readonly id: ProcessId;
  readonly files: readonly DiskFileView[];
  readonly bytesMax: number;
}

const MemberDisk = memo(function MemberDisk({ id, files, bytesMax }: DiskProps) {
  const { text, number } = useLanguage();
  const member = useView(memberOf(id));
  const log = useView(logOf(id));
  if (member === null) return null;
  const { diskBytes, durable, lastIndex, applied, fsyncs, liveness } = member;
  const isDown = liveness === "crashed" || liveness === "panicked";
  const unsynced = Math.max(0, lastIndex - durable);
  // Of a log longer than what the page keeps, the page does not know where it begins.
  const begins = log !== null && log.cells.length < LOG_WINDOW ? log.firstIndex : null;
  return (
    <li className={css["card"]} data-state={liveness}>
      <p className={css["headline"]}>
        <b>{id}</b>
        <span>{text("storage.bytes", { kilobytes: number(diskBytes / 1_000, 1) })}</span>
      </p>
      <p className={css["line"]}>
        {begins !== null && begins > 1 ? `${text("storage.snapshot", { index: begins - 1 })} · ` : null}
        {text("storage.wal", { last: lastIndex, durable })}
        {isDown ? null : ` · ${text("storage.applied", { index: applied })}`}
      </p>
      <p className={css["line"]}>
        {isDown
          ? text("storage.down")
          : fsyncs > 0
            ? text("storage.fsync")
            : unsynced > 0
              ? text("storage.unsynced", { count: unsynced })
              : text("storage.synced")}
      </p>
      {files.length === 0 ? null : <DiskFiles files={files} bytesMax={bytesMax} />}
    </li>
  );
});
