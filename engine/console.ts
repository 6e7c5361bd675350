/** The door to how a console's lines are read and edited, which a page fetches when it shows one. */
export {
  completions,
  EMPTY_HISTORY,
  entered,
  type History,
  pasted,
  quoteWord,
  shownLine,
  splitWords,
  walked,
} from "./etcd/ctl/shell.ts";
