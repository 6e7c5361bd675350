import type { ProcessId } from "../../../engine/index.ts";
import { letterOf } from "../../store/lock-facts.ts";
import css from "./lock.module.css";

/** A client's square: the same in the queue, in the margin of the code and on the stage. */
export function Badge({ id, small = false }: { readonly id: ProcessId | null; readonly small?: boolean }) {
  return (
    <span className={css["badge"]} data-small={small ? "" : undefined} aria-hidden>
      {id === null ? "?" : letterOf(id)}
    </span>
  );
}
