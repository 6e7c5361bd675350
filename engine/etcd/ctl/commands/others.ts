/** `version`, and the commands of which only the usage is imitated. */
import { fromText } from "../../api/bytes.ts";
import { command, type Ctl, EXIT } from "../ctl.ts";
import { API_VERSION, VERSION } from "../version.ts";

export const version = command<never>({
  needs: "none",
  start: (ctl) => {
    ctl.print(fromText(`etcdctl version: ${VERSION}\nAPI version: ${API_VERSION}\n`));
    return ctl.exit();
  },
});

const LOADS = ["s", "small", "m", "medium", "l", "large", "xl", "xLarge"];

/** A load of its size takes a real cluster minutes; the page's is none to measure. */
export const checkLoad = command<never>({
  needs: "none",
  start: (ctl) => {
    const load = ctl.text("load");
    if (!LOADS.includes(load)) ctl.fail(EXIT.badFeature, `unknown load option ${load}`);
    return notInPage(ctl);
  },
});

/** A member of the page keeps no store of API 2: what is looked for is never there. */
export const migrate = command<never>({
  needs: "none",
  start: (ctl) => {
    const transformer = ctl.text("transformer");
    if (transformer !== "") return notInPage(ctl);
    ctl.print(fromText("using default transformer\n"));
    const folder = ctl.text("data-dir");
    const path = `${folder === "" ? "" : `${folder.replace(/\/+$/, "")}/`}member/snap`;
    if (ctl.files.hasFolder(path))
      return ctl.fail(EXIT.error, "no store of API 2 is in a folder that was restored here");
    return ctl.fail(EXIT.error, `open ${path}: no such file or directory`);
  },
});

export const makeMirror = command<never>({
  needs: "none",
  start: (ctl) => {
    if (ctl.words.length !== 1) ctl.fail(EXIT.badArgs, "make-mirror takes one destination argument");
    return notInPage(ctl);
  },
});

function notInPage(ctl: Ctl): never {
  return ctl.fail(EXIT.error, "this command is not available in the page; only its usage is (--help)");
}

/** It needs what a page has not: a second cluster, a disk, a shell. Says so instead of pretending. */
export const notHere = command<never>({
  needs: "none",
  start: notInPage,
});
