/**
 * `-w table`, as the library olekukonko/tablewriter draws it for etcdctl: headings in capitals and centred, cells to the
 * right, a cell of more than thirty columns wrapped at its spaces.
 */
import { unreachable } from "../../../base/assert.ts";
import { fromText } from "../../api/bytes.ts";
import type * as m from "../../api/messages.ts";
import { type Rendered, type Shown, PANIC, text, UNSUPPORTED } from "./shown.ts";
import { humanBytes } from "./size.ts";

/** Beyond so many columns a cell is wrapped. */
const WRAP = 30;

export function table(shown: Shown): Rendered {
  switch (shown.type) {
    case "member-list":
      return drawn(MEMBER_HEAD, shown.response.members.map(memberRow));
    case "status":
      return drawn(
        STATUS_HEAD,
        shown.list.map(({ endpoint, response }) => statusRow(endpoint, response)),
      );
    case "health":
      return drawn(
        ["ENDPOINT", "HEALTH", "TOOK", "ERROR"],
        shown.list.map(({ endpoint, healthy, took, error }) => [endpoint, String(healthy), took, error]),
      );
    case "hash":
      return drawn(
        ["ENDPOINT", "HASH"],
        shown.list.map(({ endpoint, response }) => [endpoint, String(response.hash)]),
      );
    case "snapshot": {
      const { hash, revision, totalKeys, totalSize } = shown.status;
      const row = [hash.toString(16), String(revision), String(totalKeys), humanBytes(totalSize)];
      return drawn(["HASH", "REVISION", "TOTAL KEYS", "TOTAL SIZE"], [row]);
    }
    case "member-promote":
      return PANIC;
    case "get":
    case "put":
    case "del":
    case "txn":
    case "watch":
    case "grant":
    case "revoke":
    case "time-to-live":
    case "leases":
    case "keep-alive":
    case "alarm":
    case "member-add":
    case "member-remove":
    case "member-update":
    case "move-leader":
    case "deed":
    case "role-get":
    case "role-list":
    case "user-get":
    case "user-list":
      return UNSUPPORTED;
    default:
      return unreachable(shown);
  }
}

const MEMBER_HEAD = ["ID", "STATUS", "NAME", "PEER ADDRS", "CLIENT ADDRS", "IS LEARNER"];

/** Also a line of simple output. */
export function memberRow(of: m.Member): readonly string[] {
  const state = of.name === "" ? "unstarted" : "started";
  const urls = [of.peerUrls.join(","), of.clientUrls.join(",")];
  return [BigInt(of.id).toString(16), state, of.name, ...urls, String(of.isLearner)];
}

const STATUS_HEAD = [
  "ENDPOINT",
  "ID",
  "VERSION",
  "DB SIZE",
  "IS LEADER",
  "IS LEARNER",
  "RAFT TERM",
  "RAFT INDEX",
  "RAFT APPLIED INDEX",
  "ERRORS",
];

export function statusRow(endpoint: string, of: m.StatusResponse): readonly string[] {
  const id = of.header?.memberId ?? "0";
  return [
    endpoint,
    BigInt(id).toString(16),
    of.version,
    humanBytes(of.dbSize),
    String(of.leader === id),
    String(of.isLearner),
    String(of.raftTerm),
    String(of.raftIndex),
    String(of.raftAppliedIndex),
    of.errors.join(", "),
  ];
}

const widthOf = (line: string) => Array.from(line).length;

function drawn(head: readonly string[], rows: readonly (readonly string[])[]): Rendered {
  const widths = head.map(widthOf);
  const wrapped = rows.map((row) =>
    row.map((cell, column) => {
      const lines = wrap(cell);
      const least = widthOf(cell) > WRAP ? WRAP : 0;
      widths[column] = Math.max(widths[column] as number, least, ...lines.map(widthOf));
      return lines;
    }),
  );
  const rule = `+${widths.map((width) => "-".repeat(width + 2)).join("+")}+\n`;
  const line = (cells: readonly string[]) => `|${cells.map((cell) => ` ${cell} `).join("|")}|\n`;
  const body = wrapped.map((cells) => {
    const height = Math.max(1, ...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, i) =>
      line(cells.map((lines, column) => right(lines[i] ?? "", widths[column] as number))),
    ).join("");
  });
  const titles = line(head.map((title, column) => centre(title, widths[column] as number)));
  return text(fromText(rule + titles + rule + body.join("") + rule));
}

const right = (cell: string, width: number) => " ".repeat(width - widthOf(cell)) + cell;

function centre(title: string, width: number): string {
  const gap = width - widthOf(title);
  return " ".repeat(Math.floor(gap / 2)) + title + " ".repeat(gap - Math.floor(gap / 2));
}

/** Into lines of at most `WRAP` columns, or as long as the longest word, with as little left over as can be. */
function wrap(cell: string): readonly string[] {
  if (widthOf(cell) <= WRAP) return [cell];
  const words = cell.split(/[ \n]/);
  const limit = Math.max(WRAP, ...words.map(widthOf));
  const cost: number[] = [];
  const next: number[] = [];
  for (let first = words.length - 1; first >= 0; first -= 1) {
    let width = -1;
    cost[first] = Number.POSITIVE_INFINITY;
    for (let after = first + 1; after <= words.length; after += 1) {
      width += 1 + widthOf(words[after - 1] as string);
      if (width > limit && after > first + 1) break;
      const left = after === words.length ? 0 : (limit - width) ** 2 + (cost[after] as number);
      if (left < (cost[first] as number)) {
        cost[first] = left;
        next[first] = after;
      }
    }
  }
  const lines: string[] = [];
  for (let at = 0; at < words.length; at = next[at] as number) lines.push(words.slice(at, next[at]).join(" "));
  return lines;
}
