/** Orders strings by length, then by code unit, the same on every machine: numeric order for numbers without leading zeros. */
export function byLengthThenUnits(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
