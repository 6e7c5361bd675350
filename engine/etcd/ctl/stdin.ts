/** Standard input of a run: what was typed or piped and not yet read. */
import type { Bytes } from "../api/bytes.ts";

export interface StdinState {
  readonly buffer: Bytes;
  readonly ended: boolean;
  readonly isTerminal: boolean;
}

export class Stdin {
  #buffer: Bytes;
  #ended: boolean;
  /** Someone sits there and types. */
  readonly isTerminal: boolean;

  constructor({ buffer, ended, isTerminal }: StdinState) {
    this.#buffer = buffer;
    this.#ended = ended;
    this.isTerminal = isTerminal;
  }

  static terminal(): Stdin {
    return new Stdin({ buffer: "", ended: false, isTerminal: true });
  }

  /** All of it is there. */
  static pipe(buffer: Bytes): Stdin {
    return new Stdin({ buffer, ended: true, isTerminal: false });
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

  checkpoint(): StdinState {
    return { buffer: this.#buffer, ended: this.#ended, isTerminal: this.isTerminal };
  }
}
