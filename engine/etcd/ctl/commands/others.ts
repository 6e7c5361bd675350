/** `version`, and the commands of which only the usage is imitated. */
import { fromText } from "../../api/bytes.ts";
import { command, EXIT } from "../ctl.ts";
import { API_VERSION, VERSION } from "../version.ts";

export const version = command<never>({
  needs: "none",
  start: (ctl) => {
    ctl.print(fromText(`etcdctl version: ${VERSION}\nAPI version: ${API_VERSION}\n`));
    return ctl.exit();
  },
});

/** It needs what a page has not: a second cluster, a disk, a shell. Says so instead of pretending. */
export const notHere = command<never>({
  needs: "none",
  start: (ctl) => ctl.fail(EXIT.error, "this command is not available in the page; only its usage is (--help)"),
});
