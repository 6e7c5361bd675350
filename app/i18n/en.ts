/**
 * All of English, and with it the list of keys: every other language satisfies `Dictionary`, so a missing key fails the build.
 *
 * `{name}` is replaced by a figure of that name, typed at the call. Where the wording depends on a number, the value is
 * an object of plural forms, chosen by the figure `count`. A sentence for a new note, rule or refusal needs only its key
 * here: `note.<what>`, `rule.<rule>`, `refusal.<rule>`. A rule may have a second, `.plain`, for when its figures are
 * not known.
 */
import { enEtcd } from "./en-etcd.ts";
import { enFirst } from "./en-first.ts";
import { enLabHazards } from "./en-lab-hazards.ts";
import { enLabNotes } from "./en-lab-notes.ts";
import { enLabs } from "./en-labs.ts";
import { enRest } from "./en-rest.ts";

export const en = { ...enFirst, ...enRest, ...enEtcd, ...enLabs, ...enLabHazards, ...enLabNotes };
