import type { MemberView } from "../../engine/index.ts";
import { useText } from "../i18n/use-text.ts";
import { panicOf } from "../store/selectors.ts";
import type { Mirror } from "../store/mirror.ts";
import { useView } from "../store/use.ts";
import css from "./stage.module.css";

const panickedIds = (view: Mirror): string =>
  view.memberIds.filter((id) => view.members.get(id)?.liveness === "panicked").join(" ");

/** The errors of members whose code threw or hung, with their stacks. */
export default function Panics() {
  const ids = useView(panickedIds);
  const known = useView((view) => view.memberIds).filter((id) => ids.split(" ").includes(id));
  return known.length === 0 ? null : (
    <div className={css["panics"]} role="alert">
      {known.map((id) => (
        <Panic key={id} id={id} />
      ))}
    </div>
  );
}

function Panic({ id }: { readonly id: MemberView["id"] }) {
  const text = useText();
  const panic = useView(panicOf(id));
  if (panic === null) return null;
  return (
    <details>
      <summary>
        <b>{text("member.panic", { id })}</b> {panic.message}
      </summary>
      <pre aria-label={text("member.panic.stack")}>{panic.stack}</pre>
    </details>
  );
}
