/** Virtual seconds a wall second; `max`: as fast as it goes. */
export type Speed = 0.001 | 0.01 | 0.0333 | 0.1 | 1 | 10 | "max";

/** From slow to fast, as the control offers them. */
export const SPEEDS = [0.001, 0.01, 0.0333, 0.1, 1, 10, "max"] as const satisfies readonly Speed[];

export const DEFAULT_SPEED: Speed = 0.1;
