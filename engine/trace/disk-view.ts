/**
 * What lies on a member's disk, for a picture: its write-ahead log's segments and its snapshots.
 *
 * It is no part of the view that is told each frame: who shows it asks for it (`Coordinator.disks`), since it is read from
 * the files themselves.
 */
import type { ProcessId } from "../sim/command.ts";

/** How many records of each kind a segment holds. Our records are etcd's (server/storage/wal), but for its CRC records. */
export interface RecordCounts {
  readonly metadata: number;
  readonly entry: number;
  readonly state: number;
  readonly snapshot: number;
}

interface FileFacts {
  /** As a real etcd would name it: 0000000000000001-0000000000000042.wal, 0000000000000003-0000000000000041.snap. */
  readonly name: string;
  /** Its name on this disk. */
  readonly file: string;
  readonly bytes: number;
  /** From its start: what an fsync has made durable, and a crash leaves. */
  readonly durableBytes: number;
  /** At its end: no whole and sound record, or a snapshot whose checksum does not fit. */
  readonly badBytes: number;
}

export type DiskFileView =
  | (FileFacts & {
      readonly kind: "wal";
      readonly records: RecordCounts;
      /** Of its entries, in the order in which they were written; 0 when it has none. */
      readonly firstIndex: number;
      readonly lastIndex: number;
      /** The last entry that is durable here; 0 when none is. */
      readonly durableIndex: number;
    })
  | (FileFacts & {
      readonly kind: "snapshot";
      /** What it covers: everything up to here. 0/0 when it is not whole. */
      readonly term: number;
      readonly index: number;
    });

export interface DiskView {
  readonly member: ProcessId;
  /** Snapshots first, then segments, each oldest first. */
  readonly files: readonly DiskFileView[];
}
