/** A member's end of its pipe into the log: what it has proposed and has not yet been given back. */
import type { Micros } from "../base/units.ts";
import type { ProcessId } from "../sim/command.ts";
import type { ConnectionId } from "../sim/process.ts";
import { type Command, encodeCommand } from "./command.ts";

interface Sent {
  readonly number: number;
  readonly bytes: Uint8Array;
  /** Who waits for it. */
  readonly connection: ConnectionId | null;
}

export interface OutboxState {
  readonly incarnation: number;
  readonly era: number;
  readonly number: number;
  readonly sent: readonly Sent[];
  readonly movedAt: Micros;
}

export class Outbox {
  #incarnation = 0;
  #era = 0;
  #number = 0;
  #sent: Sent[] = [];
  /** Awake time at which the first of `sent` was proposed last. */
  #movedAt: Micros = 0;

  boot(incarnation: number): void {
    this.#incarnation = incarnation;
  }

  /** What is on its way may still happen; nobody here waits for it any more. */
  newPipe(): void {
    this.#era += 1;
    this.#number = 0;
    this.#sent = [];
  }

  /** What the next command is called in pictures. */
  nextKey(member: ProcessId): string {
    return `${member}/${this.#incarnation}/${this.#era}/${this.#number + 1}`;
  }

  /** @returns what is to be proposed */
  add(command: Pick<Command, "member" | "time" | "body">, connection: ConnectionId | null, now: Micros): Uint8Array {
    this.#number += 1;
    const bytes = encodeCommand({ incarnation: this.#incarnation, era: this.#era, number: this.#number, ...command });
    if (this.#sent.length === 0) this.#movedAt = now;
    this.#sent.push({ number: this.#number, bytes, connection });
    return bytes;
  }

  /** A command of the log. If it is the next of this pipe: who waits for it. */
  arrived({ member, incarnation, era, number }: Command, self: ProcessId, now: Micros): ConnectionId | null {
    if (member !== self || incarnation !== this.#incarnation || era !== this.#era) return null;
    const first = this.#sent[0];
    if (first?.number !== number) return null;
    this.#sent.shift();
    this.#movedAt = now;
    return first.connection;
  }

  againAt(after: Micros): Micros {
    return this.#sent.length === 0 ? Number.POSITIVE_INFINITY : this.#movedAt + after;
  }

  /** All that is on its way, when nothing of it has come back for that long. */
  again(now: Micros, after: Micros): readonly Uint8Array[] {
    if (now < this.againAt(after)) return [];
    this.#movedAt = now;
    return this.#sent.map(({ bytes }) => bytes);
  }

  state(): OutboxState {
    return {
      incarnation: this.#incarnation,
      era: this.#era,
      number: this.#number,
      sent: [...this.#sent],
      movedAt: this.#movedAt,
    };
  }

  load({ incarnation, era, number, sent, movedAt }: OutboxState): void {
    this.#incarnation = incarnation;
    this.#era = era;
    this.#number = number;
    this.#sent = [...sent];
    this.#movedAt = movedAt;
  }
}
