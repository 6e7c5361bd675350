import { type Command, linkKey, type MembershipStep, type ProcessId } from "../../engine/index.ts";
import { useText } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { confPlaceOf, cuts as cutsOf, leaderId, livenessOf, memberIds } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { MenuAt, type MenuEntry } from "../ui/menu.tsx";
import { linksOf } from "./gesture.ts";

type Asked = "member.menu.transfer" | "member.menu.promote" | "member.menu.remove";
type Why = "member.menu.why.leads" | "member.menu.why.down" | "member.menu.why.no-voter" | "membership.no-leader";

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
  const leader = useView(leaderId);
  const place = useView(confPlaceOf(id));
  const compacted = useView((view) => {
    const applied = view.members.get(id)?.applied ?? 0;
    return applied === 0 || (view.logs.get(id)?.firstIndex ?? 1) > applied;
  });
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

  const changeOf = (operation: MembershipStep["operation"]): Command => ({
    type: "membership",
    member: leader ?? id,
    transition: "auto",
    steps: [{ operation, id }],
  });
  /** What only a leader can do: an entry that is not possible says why. */
  const asked = (
    name: string,
    title: Asked,
    command: Command,
    more: Partial<MenuEntry> = {},
    whys: readonly (Why | null)[] = [],
  ): MenuEntry => {
    const why = whys.find((reason) => reason !== null) ?? (leader === null ? "membership.no-leader" : null);
    return entry(name, text(title), command, {
      ...more,
      ...(why !== null && { disabled: true, why: text(why) }),
    });
  };

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
  if (place !== "outside") {
    const votes = place === "voter" || place === "new";
    entries.push(
      asked("transfer", "member.menu.transfer", { type: "transfer", to: id }, { parted: true }, [
        leader === id ? "member.menu.why.leads" : null,
        down ? "member.menu.why.down" : null,
        votes ? null : "member.menu.why.no-voter",
      ]),
      ...(place === "learner" ? [asked("promote", "member.menu.promote", changeOf("add-voter"))] : []),
      asked("remove", "member.menu.remove", changeOf("remove"), { harm: true }),
    );
  }
  entries.push(
    entry(
      "snapshot",
      text("member.menu.snapshot"),
      { type: "snapshot", process: id },
      {
        parted: true,
        disabled: down || compacted,
        ...(compacted && !down && { why: text("member.menu.why.compacted") }),
      },
    ),
  );
  if (place === "outside" || down)
    entries.push(entry("retire", text("member.menu.retire"), { type: "retire", process: id }, { harm: true }));
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
