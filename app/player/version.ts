/** Raised whenever the same seed, config and commands may give another run than before. */
export const ENGINE_VERSION = 1;
