/** One register: a write replaces its value. The first state machine, and the smallest that shows what replication does. */
import { ByteReader, ByteWriter, utf8Decode, utf8Encode } from "../base/bytes.ts";
import type { Machine } from "./machine.ts";

export interface RegisterRequest {
  readonly type: "write";
  readonly value: string;
}

export interface RegisterAnswer {
  readonly type: "written";
  readonly value: string;
}

export class Register implements Machine {
  #value: string | null = null;

  apply(command: Uint8Array): RegisterAnswer {
    const value = new ByteReader(command).text();
    this.#value = value;
    return { type: "written", value };
  }

  propose(request: unknown): { readonly command: Uint8Array } {
    const out = new ByteWriter();
    out.text((request as RegisterRequest).value);
    return { command: out.take() };
  }

  label(command: Uint8Array): string {
    return new ByteReader(command).text();
  }

  summary(): string | null {
    return this.#value;
  }

  snapshot(): Uint8Array {
    return this.#value === null ? new Uint8Array() : utf8Encode(this.#value);
  }

  restore(snapshot: Uint8Array): void {
    this.#value = snapshot.length === 0 ? null : utf8Decode(snapshot);
  }
}
