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

/** From `normalize.mjs` in the folder of the session, or the nearest above. */
export async function loadNormaliser(session: string): Promise<(names: Names) => Normaliser> {
  for (let folder = dirname(resolve(session)); ; folder = dirname(folder)) {
    const file = join(folder, "normalize.mjs");
    if (existsSync(file)) {
      const { Normaliser } = (await import(pathToFileURL(file).href)) as {
        Normaliser: new (names: Names) => Normaliser;
      };
      return (names) => new Normaliser(names);
    }
    if (dirname(folder) === folder) throw new UsageError(`no normalize.mjs beside or above ${session}`);
  }
}
