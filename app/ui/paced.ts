/** Calls `run` at most once every `ms`: at once when it has rested, else later with the latest arguments. */
export function paced<Args extends readonly unknown[]>(
  ms: number,
  run: (...args: Args) => void,
): { readonly call: (...args: Args) => void; readonly cancel: () => void } {
  let last = Number.NEGATIVE_INFINITY;
  let waiting: Args | null = null;
  let timer: number | undefined;
  const go = (args: Args): void => {
    last = performance.now();
    run(...args);
  };
  return {
    call: (...args) => {
      if (timer !== undefined) {
        waiting = args;
        return;
      }
      const rest = ms - (performance.now() - last);
      if (rest <= 0) {
        go(args);
        return;
      }
      waiting = args;
      timer = window.setTimeout(() => {
        timer = undefined;
        const late = waiting;
        waiting = null;
        if (late !== null) go(late);
      }, rest);
    },
    cancel: () => {
      window.clearTimeout(timer);
      timer = undefined;
    },
  };
}
