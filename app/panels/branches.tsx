import { Suspense, useState } from "react";
import { lazyWorded } from "../i18n/lazy-worded.ts";
import { useText } from "../i18n/use-text.ts";
import { useWorld } from "../store/use.ts";
import css from "./timeline.module.css";

const BranchesDialog = lazyWorded(() => import("./branches-dialog.tsx"));

/** How many futures were left, beside the timeline; it lists them. */
export default function Branches() {
  const text = useText();
  const count = useWorld((world) => world.branches);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={css["futures"]} onClick={() => setOpen(true)}>
        {text("branches.button", { count })}
      </button>
      {open ? (
        <Suspense fallback={null}>
          <BranchesDialog onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
