/** Every event that a trace can hold: here the union closes. */
import type { ClientEvent } from "../replica/client.ts";
import type { ReplicaEvent } from "../replica/events.ts";
import type { WorldEvent } from "../sim/events.ts";

export type AnyEvent = WorldEvent | ReplicaEvent | ClientEvent;
