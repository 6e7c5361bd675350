/** Integer microseconds. Instants count from the start of the run, spans are differences of instants. */
export type Micros = number;

export const MS: Micros = 1_000;
export const SECOND: Micros = 1_000_000;
