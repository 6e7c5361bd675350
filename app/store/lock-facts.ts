/** What the lock view says of a client, worked out of the view's facts: one state, told the same way everywhere. */
import type { LabClientView, LabView, ProcessId, QueuePlace } from "../../engine/index.ts";

import { share } from "./share.ts";

export { clientName as letterOf } from "../../engine/index.ts";

/**
 * `holds`: believes, and really does. `deceived`: believes, and does not. `unaware`: really holds and does not know it.
 */
export type Standing = "holds" | "deceived" | "unaware" | "waits" | "idle" | "done" | "gave-up" | "failed" | "down";

export interface Row {
  readonly client: LabClientView | null;
  readonly place: QueuePlace | null;
  readonly standing: Standing;
  /** The row that it watches, and whose that is; null when it watches none of them. */
  readonly watches: { readonly row: number; readonly client: ProcessId | null } | null;
}

/**
 * First those who believe and are not in the queue: that is the news. Then the queue, in its order; then the rest.
 *
 * Rows that say what they said before are the same objects: with fifty clients, few of them change at a time.
 */
export function rowsOf(lab: LabView): readonly Row[] {
  if (latest?.lab === lab) return latest.rows;
  const before = latest?.rows ?? [];
  const byKey = new Map(before.map((row) => [keyOf(row), row]));
  const made = makeRows(lab).map((row) => share(byKey.get(keyOf(row)), row));
  const isSame = made.length === before.length && made.every((row, i) => row === before[i]);
  const rows = isSame ? before : made;
  latest = { lab, rows };
  return rows;
}

/** Of the last view that was asked about: the stage and the panel ask about the same one. */
let latest: { readonly lab: LabView; readonly rows: readonly Row[] } | null = null;

export function keyOf({ place, client }: Row): string {
  return place?.identity ?? client?.id ?? "";
}

function makeRows(lab: LabView): readonly Row[] {
  const { queue, clients } = lab;
  const holder = holderOf(lab);
  const byId = new Map(clients.map((client) => [client.id, client]));
  const queued = new Set(queue.map(({ client }) => client));
  const others = clients
    .filter(({ id }) => !queued.has(id))
    .map((client): Row => ({ client, place: null, standing: standingOf(client, false), watches: null }));
  const deceived = others.filter(({ standing }) => standing === "deceived");
  const rowOf = new Map(queue.map(({ identity, client }, i) => [identity, { row: deceived.length + i, client }]));
  const rows = queue.map((place, i): Row => {
    const client = place.client === null ? null : (byId.get(place.client) ?? null);
    const watches = place.watches === null ? null : (rowOf.get(place.watches) ?? null);
    return { client, place, standing: standingOf(client, i === 0 && holder !== null), watches };
  });
  return [...deceived, ...rows, ...others.filter(({ standing }) => standing !== "deceived")];
}

/** Who really holds the lock now. */
export function holderOf({
  held,
}: LabView): { readonly client: ProcessId | null; readonly token: string | null } | null {
  const last = held.at(-1);
  return last === undefined || last.to !== null ? null : last;
}

function standingOf(client: LabClientView | null, reallyHolds: boolean): Standing {
  if (client === null) return reallyHolds ? "unaware" : "waits";
  if (client.believes) return reallyHolds ? "holds" : "deceived";
  if (client.liveness === "crashed" || client.liveness === "panicked") return "down";
  if (reallyHolds && client.state === "waiting") return "unaware";
  switch (client.state) {
    case "acquiring":
    case "waiting":
    case "releasing":
    case "working":
      return "waits";
    case "not-started":
      return "idle";
    case "done":
      return "done";
    case "gave-up":
      return "gave-up";
    case "failed":
      return "failed";
  }
}

/** The overlap that is going on; null when no two believe at once. */
export function presentOverlap({ overlaps }: LabView): LabView["overlaps"][number] | null {
  return overlaps.findLast(({ to }) => to === null) ?? null;
}
