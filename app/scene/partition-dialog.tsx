import { useState } from "react";
import type { ProcessId } from "../../engine/index.ts";
import { useText } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { majority } from "../store/conf.ts";
import { leaderId, memberIds, roleOf } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Check } from "../ui/field.tsx";
import css from "./stage.module.css";

/** The lasso for those who do not draw: members are ticked, and split off from the rest. */
export default function PartitionDialog({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const player = usePlayer();
  const members = useView(memberIds);
  const leader = useView(leaderId);
  const [side, setSide] = useState<readonly ProcessId[]>(() => minorityWith(leader, members));
  const rest = members.filter((id) => !side.includes(id));
  const possible = side.length > 0 && rest.length > 0;
  return (
    <Dialog title={text("partition.heading")} close={text("app.close")} onClose={onClose}>
      <p>{text("partition.what")}</p>
      <form
        className={css["sides"]}
        onSubmit={(event) => {
          event.preventDefault();
          if (!possible) return;
          void player.dispatch({ type: "partition", groups: [side, rest] });
          onClose();
        }}
      >
        <fieldset>
          <legend>{text("partition.side")}</legend>
          {members.map((id) => (
            <Check
              key={id}
              label={<MemberWords id={id} />}
              checked={side.includes(id)}
              onChange={(on) =>
                setSide(on ? members.filter((m) => m === id || side.includes(m)) : side.filter((m) => m !== id))
              }
            />
          ))}
        </fieldset>
        <p role="status">
          {possible
            ? text("stage.lasso", { inside: side.join(", "), outside: rest.join(", ") })
            : text("partition.one-side")}
        </p>
        <Button type="submit" look="solid" disabled={!possible}>
          {text("partition.apply")}
        </Button>
      </form>
    </Dialog>
  );
}

/** What a talk wants to show most often: the leader on the side that is too small. */
function minorityWith(leader: ProcessId | null, members: readonly ProcessId[]): readonly ProcessId[] {
  const first = leader ?? members[0];
  if (first === undefined) return [];
  const others = members.filter((id) => id !== first);
  const chosen = new Set([first, ...others.slice(0, members.length - majority(members.length) - 1)]);
  return members.filter((id) => chosen.has(id));
}

function MemberWords({ id }: { readonly id: ProcessId }) {
  const text = useText();
  const role = useView(roleOf(id));
  return (
    <>
      {id} <small>{text(`role.${role}`)}</small>
    </>
  );
}
