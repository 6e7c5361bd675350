import { useEffect, useState } from "react";
import type { DiskView } from "../../../engine/index.ts";
import { usePlayer } from "../../player/use.ts";
import { share } from "../../store/share.ts";
import { paced } from "../../ui/paced.ts";

/** Often enough to see a segment grow: each look costs the engine a walk over the files. */
const EVERY_MS = 500;

/** The files on each member's disk, asked for anew when something has happened; null before the first answer. */
export function useDisks(): readonly DiskView[] | null {
  const player = usePlayer();
  const [disks, setDisks] = useState<readonly DiskView[] | null>(null);
  useEffect(() => {
    let left = false;
    let asking = false;
    let missed = false;
    const ask = paced(EVERY_MS, () => {
      missed = asking;
      if (asking) return;
      asking = true;
      void player.disks().then((told) => {
        asking = false;
        if (left) return;
        setDisks((before) => share(before, told));
        if (missed) ask.call();
      });
    });
    const off = player.onFrame(() => ask.call());
    return () => {
      left = true;
      off();
      ask.cancel();
    };
  }, [player]);
  return disks;
}
