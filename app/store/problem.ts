/**
 * What went wrong outside the simulation: a real failure, or something typed or in the address that does not validate.
 * Data only; i18n has a sentence for each `kind` (and for each `link.why`).
 */
import type { StepKind } from "../../engine/index.ts";

/** Why a link was not opened. */
export type LinkProblem =
  | { readonly why: "not-a-link" }
  /** `limit` in bytes; of the text itself, or of what it unpacks to. */
  | { readonly why: "too-large"; readonly limit: number }
  /** It does not unpack, or what comes out is not JSON. */
  | { readonly why: "damaged" }
  /** A figure or a name in it is outside its range; `path` tells which, as in `config.members`. */
  | { readonly why: "not-valid"; readonly path: string }
  /** Written in a form that this version does not know. */
  | { readonly why: "other-version"; readonly version: string }
  /** It is well formed, and the engine could not replay it. */
  | { readonly why: "not-replayable"; readonly detail: string };

export type Problem =
  /** No engine could be started, neither in a worker nor in the page. */
  | { readonly kind: "engine-start"; readonly detail: string }
  /** The engine threw or fell silent; the run stands still until it is started anew. */
  | { readonly kind: "engine-failed"; readonly detail: string }
  /** Workers are not allowed here: everything runs in the page's own thread, and may be less smooth. */
  | { readonly kind: "no-workers"; readonly detail: string }
  /** `kept`: a run was shown, and goes on. */
  | { readonly kind: "link"; readonly link: LinkProblem; readonly kept: boolean }
  /** The replayed run differs from the one that was shared, from this moment or from an earlier one. */
  | {
      readonly kind: "diverged";
      readonly n: number;
      readonly expected: string;
      readonly actual: string;
      /** The engine's version that wrote the link, and ours. */
      readonly theirs: number;
      readonly ours: number;
    }
  /** What was stepped to does not happen within a virtual minute; nothing has moved. */
  | { readonly kind: "nothing-to-step-to"; readonly step: StepKind }
  /** A parameter of the address was left out of account. */
  | { readonly kind: "parameter"; readonly name: string; readonly value: string };
