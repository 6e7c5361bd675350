/**
 * The small file area of a console: where `snapshot save` leaves its files. Plain names and folders; a folder is there
 * when a file is in it.
 */
import type { Bytes } from "../api/bytes.ts";

export class Files {
  readonly #files: Map<string, Bytes>;

  constructor(files: Iterable<readonly [string, Bytes]> = []) {
    this.#files = new Map(files);
  }

  /** Go's text of why a file cannot be made; null when it can. */
  cannotCreate(path: string): string | null {
    if (path === "" || (path.includes("/") && !this.hasFolder(path.slice(0, path.lastIndexOf("/")))))
      return `open ${path}: no such file or directory`;
    return this.hasFolder(path) ? `open ${path}: is a directory` : null;
  }

  hasFolder(path: string): boolean {
    return path === "" || path === "." || [...this.#files.keys()].some((name) => name.startsWith(`${path}/`));
  }

  read(path: string): Bytes | null {
    return this.#files.get(path.replace(/^\.\//, "")) ?? null;
  }

  write(path: string, content: Bytes): void {
    this.#files.set(path.replace(/^\.\//, ""), content);
  }

  names(): readonly string[] {
    return [...this.#files.keys()].sort();
  }

  checkpoint(): readonly (readonly [string, Bytes])[] {
    return [...this.#files];
  }
}
