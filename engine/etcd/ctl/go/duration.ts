/** A span as Go's time.Duration writes it: "1.5s", "2m0.25s", "350µs", "0s". */
import { MS, type Micros, SECOND } from "../../../base/units.ts";

export function durationText(span: Micros): string {
  if (span === 0) return "0s";
  if (span < MS) return `${span}\u00b5s`;
  if (span < SECOND) return `${decimal(span, MS)}ms`;
  const minutes = Math.floor(span / (60 * SECOND));
  const seconds = `${decimal(span - minutes * 60 * SECOND, SECOND)}s`;
  if (minutes === 0) return seconds;
  const hours = Math.floor(minutes / 60);
  return hours === 0 ? `${minutes}m${seconds}` : `${hours}h${minutes % 60}m${seconds}`;
}

/** `span` in `unit`s, without zeros at the end. */
function decimal(span: Micros, unit: Micros): string {
  const fraction = String(span % unit)
    .padStart(String(unit).length - 1, "0")
    .replace(/0+$/, "");
  return `${Math.floor(span / unit)}${fraction === "" ? "" : `.${fraction}`}`;
}
