/** The recording's own rules of what is compared, which lie beside the sessions: as much of them as a run needs. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { UsageError } from "../usage.ts";

export interface Normaliser {
  expand(text: string): string;
  stdout(args: readonly string[], text: string): string;
  stderr(args: readonly string[], text: string): { readonly stderr: string };
}

export interface Names {
  /** Sixteen hexadecimal digits, as those of the members. */
  readonly cluster: string;
  readonly members: readonly { readonly id: string }[];
  /** `ep:1`, `peer:1` and so on to `host:port`. */
  readonly addresses: Readonly<Record<string, string>>;
}

const SHARED = "../shared/conformance/etcdctl";

/** From `normalize.mjs` in the folder of the session, or the nearest above; else from the recordings beside the checkout. */
export async function loadNormaliser(session: string): Promise<(names: Names) => Normaliser> {
  const folders = [...upwards(dirname(resolve(session))), resolve(SHARED)];
  const file = folders.map((folder) => join(folder, "normalize.mjs")).find((path) => existsSync(path));
  if (file === undefined) throw new UsageError(`no normalize.mjs beside or above ${session}, nor in ${SHARED}`);
  const { Normaliser } = (await import(pathToFileURL(file).href)) as { Normaliser: new (names: Names) => Normaliser };
  return (names) => new Normaliser(names);
}

function upwards(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upwards(above)];
}
