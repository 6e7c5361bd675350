/** Standard input of a run: what was typed or piped and not yet read. */
import type { Bytes } from "../api/bytes.ts";

export class Stdin {
  #buffer: Bytes;
  #ended: boolean;

  constructor(buffer: Bytes, ended: boolean) {
    this.#buffer = buffer;
    this.#ended = ended;
  }

  get ended(): boolean {
    return this.#ended;
  }

  type(text: Bytes): void {
    if (!this.#ended) this.#buffer += text;
  }

  end(): void {
    this.#ended = true;
  }

  /** The next line without its end; null when there is no whole one. */
  line(): Bytes | null {
    const end = this.#buffer.indexOf("\n");
    if (end < 0) return null;
    const line = this.#buffer.slice(0, end);
    this.#buffer = this.#buffer.slice(end + 1);
    return line;
  }

  /** The next line, also one that ends with the input; null while it is not known. */
  lastLine(): Bytes | null {
    const line = this.line();
    return line ?? (this.#ended ? this.all() : null);
  }

  /** Everything that has come, without reading it. */
  peek(): Bytes {
    return this.#buffer;
  }

  /** Everything that is left. */
  all(): Bytes {
    const all = this.#buffer;
    this.#buffer = "";
    return all;
  }

  checkpoint(): { readonly buffer: Bytes; readonly ended: boolean } {
    return { buffer: this.#buffer, ended: this.#ended };
  }
}
