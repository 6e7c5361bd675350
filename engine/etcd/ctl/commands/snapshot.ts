/** `snapshot …`: a member's store as a file of the console. */
import { crc32c } from "../../../base/bytes.ts";
import { type Bytes, fromText, toArray } from "../../api/bytes.ts";
import type { SnapshotResponse } from "../../api/messages.ts";
import type { Of } from "../../api/proto.ts";
import type { Micros } from "../../../base/units.ts";
import type { Ticket } from "../../client/channel.ts";
import { command, type Ctl, EXIT } from "../ctl.ts";
import { urlsProblem } from "../go/urls.ts";
import { databaseOf, hashProblem, inspectSnapshot } from "../snapshot-file.ts";

interface Saving {
  readonly ticket: Ticket;
  readonly parts: readonly Bytes[];
  /** The end of the context, when `--command-timeout` was given; else there is none. */
  readonly deadline: Micros | null;
}

function saveTo(ctl: Ctl): string {
  return ctl.words.length === 1
    ? (ctl.words[0] as string)
    : ctl.fail(EXIT.badArgs, "snapshot save expects one argument");
}

export const save = command<Saving>({
  needs: "client",
  check: (ctl) => {
    saveTo(ctl);
    const endpoints = ctl.list("endpoints");
    if (endpoints.length !== 1)
      ctl.fail(
        EXIT.interrupted,
        `snapshot must be requested to one selected node, not multiple [${endpoints.join(" ")}]`,
      );
  },
  start: (ctl) => {
    const part = `${saveTo(ctl)}.part`;
    const problem = ctl.files.cannotCreate(part);
    if (problem !== null) ctl.fail(EXIT.interrupted, `could not open ${part} (${problem})`);
    const deadline = ctl.given("command-timeout") ? ctl.deadline() : null;
    const timeout = deadline === null ? null : deadline - ctl.client.now;
    const ticket = ctl.client.open("Maintenance/Snapshot", { timeout });
    ctl.client.send(ticket, {});
    return { ticket, parts: [], deadline };
  },
  on: (ctl, state, outcome) => {
    if (outcome.type === "message" && outcome.ticket === state.ticket)
      return { ...state, parts: [...state.parts, (outcome.body as Of<typeof SnapshotResponse>).blob] };
    if (outcome.type !== "ended" || outcome.ticket !== state.ticket) return state;
    if (outcome.error !== null) ctl.fail(EXIT.interrupted, outcome.error);
    ctl.files.write(saveTo(ctl), state.parts.join(""));
    ctl.print(fromText(`Snapshot saved at ${saveTo(ctl)}\n`));
    return ctl.exit();
  },
});

export const status = command<null>({
  needs: "display",
  debug: false,
  check: (ctl) => {
    if (ctl.words.length !== 1) ctl.fail(EXIT.badArgs, "snapshot status requires exactly one argument");
  },
  start: (ctl) => {
    const path = ctl.words[0] as string;
    const file = ctl.files.read(path);
    if (file === null) return ctl.fail(EXIT.error, `stat ${path}: no such file or directory`);
    const found = inspectSnapshot(file);
    if (typeof found === "string") return ctl.fail(EXIT.error, found);
    const database = databaseOf(file);
    const hash = crc32c(toArray(database));
    ctl.show({ type: "snapshot", status: { hash, ...found, totalSize: database.length } });
    return ctl.exit();
  },
});

function checkUrls(ctl: Ctl, urls: readonly string[]): void {
  const problem = urlsProblem(urls);
  if (problem !== null) ctl.fail(EXIT.error, problem);
}

/** The files of the new member's folder are written; there is no machine in the page that would start from them. */
export const restore = command<null>({
  needs: "none",
  check: (ctl) => {
    if (ctl.words.length !== 1) ctl.fail(EXIT.badArgs, "snapshot restore requires exactly one argument");
  },
  start: (ctl) => {
    const name = ctl.text("name");
    const folder = ctl.text("data-dir") || `${name}.etcd`;
    const members = ctl.text("initial-cluster").split(",");
    checkUrls(
      ctl,
      members.map((member) => member.slice(member.indexOf("=") + 1 || member.length)),
    );
    checkUrls(ctl, ctl.text("initial-advertise-peer-urls").split(","));
    if (!members.some((member) => member.startsWith(`${name}=`)))
      ctl.fail(EXIT.error, `couldn't find local name ${JSON.stringify(name)} in the initial cluster configuration`);
    if (ctl.files.hasFolder(folder)) ctl.fail(EXIT.error, `data-dir ${JSON.stringify(folder)} exists`);
    const path = ctl.words[0] as string;
    const file = ctl.files.read(path);
    if (file === null) return ctl.fail(EXIT.error, `open ${path}: no such file or directory`);
    const problem = ctl.bool("skip-hash-check") ? null : hashProblem(file);
    if (problem !== null) ctl.fail(EXIT.error, problem);
    ctl.files.write(`${folder}/member/snap/db`, databaseOf(file));
    return ctl.exit();
  },
});
