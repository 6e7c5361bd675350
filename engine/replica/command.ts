/** A command of the log, and what a service reads it as. */

/**
 * What a log holds never changes, and members in one thread share it: what one has read its bytes as serves them all.
 * Whoever reads it keeps its hands off what it gets.
 */
export class Command {
  readonly bytes: Uint8Array;
  #reader: ((bytes: Uint8Array) => unknown) | null = null;
  #read: unknown = null;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  as<T>(reader: (bytes: Uint8Array) => T): T {
    if (this.#reader !== reader) {
      this.#read = reader(this.bytes);
      this.#reader = reader;
    }
    return this.#read as T;
  }
}
