/**
 * What the person's attention is on, by world: the message that is pointed at or opened, the member whose menu is open,
 * where a write is to go. It passes between stage and panels and is no part of a run.
 */
import { useStore } from "zustand";
import { createStore, type StoreApi } from "zustand/vanilla";
import type { MessageId, ProcessId, WorldId } from "../../engine/index.ts";
import { useWorldId } from "./use.ts";

/** A point of the window, in CSS pixels. */
interface At {
  readonly x: number;
  readonly y: number;
}

export interface Attention {
  readonly pointedAt: MessageId | null;
  readonly opened: (At & { readonly message: MessageId }) | null;
  readonly menu: (At & { readonly member: ProcessId; readonly byKey: boolean }) | null;
  /** Through whom the write field writes; null: whoever leads. */
  readonly writeThrough: ProcessId | null;
  /** Counts the times that the write field was asked for, so that it takes the focus each time. */
  readonly writeAsked: number;
}

const stores = new Map<WorldId, StoreApi<Attention>>();

export function attentionOf(world: WorldId): StoreApi<Attention> {
  const known = stores.get(world);
  if (known !== undefined) return known;
  const made = createStore<Attention>(() => ({
    pointedAt: null,
    opened: null,
    menu: null,
    writeThrough: null,
    writeAsked: 0,
  }));
  stores.set(world, made);
  return made;
}

export function useAttention<T>(selector: (attention: Attention) => T): T {
  return useStore(attentionOf(useWorldId()), selector);
}
