/**
 * Calls `run` at most once every `ms`, within a call that comes when it has rested: who is called once a frame then does
 * all its work within frames, and causes none of its own. The last call is made up for once no more have come.
 */
export function paced<Args extends readonly unknown[]>(
  ms: number,
  run: (...args: Args) => void,
): { readonly call: (...args: Args) => void; readonly cancel: () => void } {
  let last = Number.NEGATIVE_INFINITY;
  let waiting: Args | null = null;
  let timer: number | undefined;
  const go = (args: Args): void => {
    last = performance.now();
    waiting = null;
    run(...args);
  };
  const look = (): void => {
    timer = undefined;
    const rest = last + ms + LATE_MS - performance.now();
    if (waiting === null) return;
    if (rest > 0) timer = window.setTimeout(look, rest);
    else go(waiting);
  };
  return {
    call: (...args) => {
      if (performance.now() - last >= ms) {
        go(args);
        return;
      }
      waiting = args;
      timer ??= window.setTimeout(look, ms + LATE_MS);
    },
    cancel: () => {
      window.clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** How long after its time a call is waited for before the last one is made up for. */
const LATE_MS = 120;
