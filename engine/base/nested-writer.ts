/** Bytes with parts whose length stands before them, and is known only when they are written. */
import { ByteWriter } from "./bytes.ts";

export class NestedWriter extends ByteWriter {
  /** What is written from now until `closeLength` will have its length before it. */
  openLength(): number {
    this.u8(0);
    return this.length;
  }

  /** @param start what `openLength` gave */
  closeLength(start: number): void {
    const end = this.length;
    const size = end - start;
    if (size < 128) {
      this.buffer[start - 1] = size;
      return;
    }
    let more = 0;
    for (let rest = size; rest >= 128; rest = Math.floor(rest / 128)) more += 1;
    for (let i = 0; i < more; i += 1) this.u8(0);
    const { buffer } = this;
    buffer.copyWithin(start + more, start, end);
    let rest = size;
    for (let at = start - 1; at < start - 1 + more; at += 1) {
      buffer[at] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    buffer[start - 1 + more] = rest;
  }
}
