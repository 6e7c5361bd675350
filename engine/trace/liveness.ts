/** `panicked`: its code threw or hung; the view has the error. */
export type Liveness = "running" | "paused" | "crashed" | "panicked";
