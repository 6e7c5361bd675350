/** One register: a write replaces its value. The first state machine, and the smallest that shows what replication does. */
import { ByteReader, ByteWriter, utf8Decode, utf8Encode } from "../base/bytes.ts";
import type { Machine } from "./machine.ts";

export type RegisterRequest =
  | { readonly type: "write"; readonly value: string }
  /** `serializable`: what this member has, which may be old. */
  | { readonly type: "read"; readonly serializable: boolean };

/** The value as of the write, or of the read; null before the first write. */
export interface RegisterAnswer {
  readonly value: string | null;
}

/** Empty between calls. */
const out = new ByteWriter();

export class Register implements Machine {
  #value: string | null = null;

  apply(command: Uint8Array): RegisterAnswer {
    const value = valueOf(command);
    this.#value = value;
    return { value };
  }

  plan(request: unknown): { readonly command: Uint8Array } | { readonly read: "linearizable" | "serializable" } {
    const asked = request as RegisterRequest;
    if (asked.type === "read") return { read: asked.serializable ? "serializable" : "linearizable" };
    out.text(asked.value);
    return { command: out.take() };
  }

  read(): RegisterAnswer {
    return { value: this.#value };
  }

  label(command: Uint8Array): string {
    return valueOf(command);
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

let commandBefore: Uint8Array = new Uint8Array();
let valueBefore = "";

/** The last one is remembered: a command is read for its label too, and by every member. */
function valueOf(command: Uint8Array): string {
  if (command === commandBefore) return valueBefore;
  valueBefore = new ByteReader(command).text();
  commandBefore = command;
  return valueBefore;
}
