/** How a client is set up, in the words of clientv3's Config. */
import { MS, type Micros, SECOND } from "../../base/units.ts";
import type { ProcessId } from "../../sim/command.ts";

export interface EtcdClientConfig {
  readonly endpoints: readonly ProcessId[];
  /**
   * `round-robin`: a connection to each endpoint, calls take turns (clientv3 since 3.4). `pick-first`: one connection, to
   * the first endpoint that takes it; calls stay there until it is lost.
   */
  readonly balance: "round-robin" | "pick-first";
  /** How long opening one connection may take. */
  readonly dialTimeout: Micros;
  /** How long a call may take, with all its attempts, unless it says otherwise. Null: as long as it likes. */
  readonly requestTimeout: Micros | null;
  /** Between attempts to connect to one endpoint; grows by 1.6 each time (gRPC's connection back-off). */
  readonly backOffMin: Micros;
  readonly backOffMax: Micros;
  /** Pings: after that much silence one is sent, and without an answer in time the connection is given up. */
  readonly keepAlive: { readonly time: Micros; readonly timeout: Micros } | null;
  /** WithRequireLeader: rather an error than waiting at a member that has no leader. */
  readonly requireLeader: boolean;
  readonly user: { readonly name: string; readonly password: string } | null;
  /**
   * Whose client it is. Up to 3.4 the endpoints are asked for a token in their order until one gives it, and one that
   * cannot be reached takes all of the time (etcd issue 7012); since 3.5 the call goes where the balancer says, and its
   * error is the end.
   */
  readonly compat: "3.4" | "3.5";
}

/** clientv3's and gRPC's defaults. */
export function etcdClientConfig(
  endpoints: readonly ProcessId[],
  given: Partial<Omit<EtcdClientConfig, "endpoints">> = {},
): EtcdClientConfig {
  return {
    endpoints,
    balance: "round-robin",
    dialTimeout: 20 * SECOND,
    requestTimeout: null,
    backOffMin: 1 * SECOND,
    backOffMax: 120 * SECOND,
    keepAlive: null,
    requireLeader: false,
    user: null,
    compat: "3.5",
    ...given,
  };
}

/** Attempts at one call, the first included (clientv3, defaultUnaryMaxRetries). */
export const ATTEMPTS_MAX = 100;
/** The pause after each round through a quorum of endpoints, and how much of it is drawn (a tenth). */
export const RETRY_WAIT: Micros = 25 * MS;
export const RETRY_JITTER: Micros = Math.floor(RETRY_WAIT / 10);
