/** Sizes as the library dustin/go-humanize writes them: thousands, and one digit after the point below ten. */
const UNITS = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];

export function humanBytes(bytes: number): string {
  if (bytes < 10) return `${bytes} B`;
  let unit = 0;
  let scaled = bytes;
  while (scaled >= 1_000 && unit < UNITS.length - 1) {
    scaled /= 1_000;
    unit += 1;
  }
  const rounded = Math.floor(scaled * 10 + 0.5) / 10;
  return `${rounded < 10 ? rounded.toFixed(1) : rounded.toFixed(0)} ${UNITS[unit] as string}`;
}
