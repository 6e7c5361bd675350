/** What somebody asks at a terminal of etcd, at its moments. */
import type { LabClientSpec } from "../config.ts";
import type { HandOrder } from "../program.ts";
import { seconds, who } from "./fair.ts";

export function call(when: number, method: string, body: object, timeout?: number): HandOrder {
  const request = { type: "call", method, body };
  return { at: seconds(when), request, ...(timeout === undefined ? {} : { timeout: seconds(timeout) }) };
}

/** Somebody at etcdctl, from the start of the story. */
export function hand(orders: readonly HandOrder[], server?: number): LabClientSpec {
  return who(0, { orders, lock: "by hand" }, { program: "etcd-by-hand", ...(server === undefined ? {} : { server }) });
}

/** Lease 4660 is 0x1234: with a lease of one's own choice one knows the key. */
export const LEASE = "4660";
export const LOCK = { name: "q", lease: LEASE };
