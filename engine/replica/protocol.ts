/** What goes over a connection between a client and a member. */
import type { Reason } from "../raft/events.ts";

export interface Request {
  readonly type: "request";
  /** The client's own number for it. */
  readonly request: number;
  readonly body: unknown;
}

export type Response =
  | { readonly type: "answer"; readonly request: number; readonly answer: unknown }
  /** Not done, and it will not be. */
  | { readonly type: "refused"; readonly request: number; readonly why: Reason };
