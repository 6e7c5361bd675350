import { useState } from "react";
import { hasStarted } from "./selectors.ts";
import { useView } from "./use.ts";

/** Whether there has been somebody to serve since this was first shown: also when one has gone back to before that. */
export function useStarted(): boolean {
  const now = useView(hasStarted);
  const [ever, setEver] = useState(now);
  if (now && !ever) setEver(true);
  return now || ever;
}
