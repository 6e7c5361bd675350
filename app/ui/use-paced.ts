import { useEffect, useMemo, useState } from "react";
import { paced } from "./paced.ts";

/** The value, but changed at most once every `ms`. */
export function usePaced<T>(value: T, ms: number): T {
  const [shown, setShown] = useState(value);
  const write = useMemo(() => paced(ms, (latest: T) => setShown(() => latest)), [ms]);
  useEffect(() => write.call(value), [write, value]);
  useEffect(() => write.cancel, [write]);
  return shown;
}
