import { useEffect, useState } from "react";
import type { BranchInfo } from "../../engine/index.ts";
import { useLanguage } from "../i18n/use-text.ts";
import { usePlayer } from "../player/use.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import css from "./panels.module.css";

/** The futures that were left when a command was given in the past. None is lost: each can be gone on with. */
export default function BranchesDialog({ onClose }: { readonly onClose: () => void }) {
  const { text, seconds } = useLanguage();
  const player = usePlayer();
  const [branches, setBranches] = useState<readonly BranchInfo[]>([]);
  useEffect(() => {
    let current = true;
    const ask = async (): Promise<void> => {
      const found = await player.branches();
      if (current) setBranches(found);
    };
    void ask();
    return () => {
      current = false;
    };
  }, [player]);
  const go = (branch: number): void => {
    void player.switchBranch(branch);
    onClose();
  };
  return (
    <Dialog title={text("branches.heading")} close={text("app.close")} onClose={onClose}>
      <p>{text("branches.what")}</p>
      <ul className={css["branches"]}>
        {branches.map(({ forkedAt, headAt, commands }, i) => {
          const words = text("branches.one", { from: seconds(forkedAt), to: seconds(headAt), count: commands });
          return (
            <li key={`${forkedAt} ${headAt} ${commands}`}>
              <span>{words}</span>
              <Button aria-label={`${text("branches.go")}: ${words}`} onClick={() => go(i)}>
                {text("branches.go")}
              </Button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
