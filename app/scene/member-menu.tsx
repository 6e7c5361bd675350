import { type Command, linkKey, type ProcessId } from "../../engine/index.ts";
import { useText } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { cuts as cutsOf, livenessOf, memberIds } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { MenuAt, type MenuEntry } from "../ui/menu.tsx";
import { linksOf } from "./gesture.ts";

interface Props {
  readonly id: ProcessId;
  readonly x: number;
  readonly y: number;
  readonly byKey: boolean;
  readonly onClose: () => void;
  readonly onWrite: ((id: ProcessId) => void) | null;
}

/** What can be done to one member now. */
export default function MemberMenu({ id, x, y, byKey, onClose, onWrite }: Props) {
  const text = useText();
  const player = usePlayer();
  const liveness = useView(livenessOf(id));
  const members = useView(memberIds);
  const cuts = useView(cutsOf);
  const links = linksOf(id, members);
  const open = links.filter((link) => !cuts.has(linkKey(link)));
  const cut = links.filter((link) => cuts.has(linkKey(link)));
  const down = liveness === "crashed" || liveness === "panicked";
  const entry = (name: string, title: string, command: Command, more: Partial<MenuEntry> = {}): MenuEntry => ({
    id: name,
    title,
    onSelect: () => void player.dispatch(command),
    ...more,
  });

  const entries: MenuEntry[] = [];
  if (down) {
    entries.push(
      entry("restart", text("member.menu.restart"), { type: "restart", process: id }),
      entry("wipe", text("member.menu.wipe"), { type: "wipe", process: id }, { harm: true }),
    );
  } else {
    entries.push(
      entry("crash", text("member.menu.crash"), { type: "crash", process: id }, { harm: true }),
      liveness === "paused"
        ? entry("resume", text("member.menu.resume"), { type: "resume", process: id })
        : entry("pause", text("member.menu.pause"), { type: "pause", process: id }),
    );
  }
  if (open.length > 0)
    entries.push(entry("cut", text("member.menu.cut-off"), { type: "cut", links: open }, { parted: true }));
  if (cut.length > 0)
    entries.push(
      entry("mend", text("member.menu.reconnect"), { type: "mend", links: cut }, { parted: open.length === 0 }),
    );
  if (onWrite !== null)
    entries.push({
      id: "write",
      title: text("member.menu.write"),
      parted: true,
      disabled: down,
      onSelect: () => onWrite(id),
    });

  return (
    <MenuAt
      label={text("member.menu.label", { id })}
      title={id}
      entries={entries}
      x={x}
      y={y}
      byKey={byKey}
      onClose={onClose}
      returnTo={document.querySelector<SVGElement>(`[data-member="${id}"]`)}
    />
  );
}
