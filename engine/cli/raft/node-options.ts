/**
 * What the options of `add-nodes` say about the nodes to come (FORMAT.md §3).
 */
import { NO_CONF } from "../../raft/configuration.ts";
import type { Limits, PeerConfig } from "../../raft/peer.ts";
import type { ConfState, NodeId } from "../../raft/types.ts";
import { CommandError } from "./storage.ts";
import type { Argument } from "./transcript.ts";
import { boolean, integer, memberId, single, TranscriptError } from "./transcript.ts";

/** What `add-nodes` is told. */
export interface NodeOptions {
  conf: ConfState;
  index: number;
  content: string;
  bootstrap: boolean;
  asyncStorage: boolean;
  config: Partial<PeerConfig>;
  limits: Partial<Limits>;
}

export function nodeOptions(args: readonly Argument[]): NodeOptions {
  const options: NodeOptions = {
    conf: NO_CONF,
    index: 0,
    content: "",
    bootstrap: false,
    asyncStorage: false,
    config: {},
    limits: {},
  };
  for (const arg of args) setOption(options, arg);
  return options;
}

function setOption(options: NodeOptions, arg: Argument): void {
  const on = (): boolean => boolean(single(arg), arg.key);
  const ids = (): readonly NodeId[] => (arg.values ?? []).map((text) => memberId(text, "a node id"));
  const config = (part: Partial<PeerConfig>): void => {
    options.config = { ...options.config, ...part };
  };
  switch (arg.key) {
    case "voters":
      options.conf = { ...options.conf, voters: ids() };
      break;
    case "learners":
      options.conf = { ...options.conf, learners: ids() };
      break;
    case "index":
      options.index = integer(single(arg), arg.key);
      break;
    case "content":
      options.content = single(arg);
      break;
    case "inflight":
      options.limits = { ...options.limits, maxInflightMessages: integer(single(arg), arg.key) };
      break;
    case "max-committed-size-per-ready": {
      const bytes = integer(single(arg), arg.key);
      options.limits = { ...options.limits, maxCommittedBytesPerReady: bytes === 0 ? Number.POSITIVE_INFINITY : bytes };
      break;
    }
    case "async-storage-writes":
      options.asyncStorage = on();
      break;
    case "prevote":
      return config({ preVote: on() });
    case "checkquorum":
      return config({ checkQuorum: on() });
    case "disable-conf-change-validation":
      return config({ disableConfChangeValidation: on() });
    case "step-down-on-removal":
      return config({ stepDownOnRemoval: on() });
    case "read-only": {
      const mode = single(arg);
      if (mode !== "safe" && mode !== "lease-based") throw new CommandError(`invalid read-only option "${mode}"`);
      return config({ readOnly: mode });
    }
    default:
      throw new TranscriptError(`unknown option ${arg.raw}`);
  }
  if (["voters", "learners", "index", "content"].includes(arg.key)) options.bootstrap = true;
}
