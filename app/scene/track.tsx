import { memo } from "react";
import type { ProcessId } from "../../engine/index.ts";
import { livenessOf } from "../store/selectors.ts";
import { useView } from "../store/use.ts";
import { type StageLayout, TRACK_GAP, TRACK_WIDTH } from "./geometry.ts";
import css from "./stage.module.css";

/** The track on which a member's timer drains, under what moves: it stands still, so it is not drawn each frame. */
export const Track = memo(function Track({ id, layout }: { readonly id: ProcessId; readonly layout: StageLayout }) {
  const liveness = useView(livenessOf(id));
  const place = layout.places.get(id);
  if (place === undefined) return null;
  const down = liveness === "crashed" || liveness === "panicked";
  return (
    <circle
      className={css["track"]}
      data-down={down ? "" : undefined}
      cx={place.x}
      cy={place.y}
      r={layout.disc + TRACK_GAP * layout.scale}
      strokeWidth={TRACK_WIDTH * layout.scale}
    />
  );
});
