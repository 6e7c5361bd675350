/**
 * The parameters of the page's address: `?members=&timing=&seed=&speed=&lang=&theme=&autoplay=`.
 *
 * Unknown ones are ignored; one whose value does not validate is reported and left out of account.
 */
import * as v from "valibot";
import type { TimingProfile } from "../../engine/index.ts";
import type { Problem } from "../store/problem.ts";
import type { Speed } from "../store/speed.ts";
import { MembersSchema, SeedSchema, SpeedSchema, TimingSchema } from "./ranges.ts";

export interface Parameters {
  readonly members?: number;
  readonly timing?: TimingProfile;
  readonly seed?: number;
  readonly speed?: Speed;
  readonly lang?: "auto" | "en" | "zh-CN";
  readonly theme?: "auto" | "light" | "dark";
  readonly autoplay?: boolean;
}

/** Digits only: "0x10", "1e3", " 7" and "" are no numbers that somebody meant. */
const Figure = v.pipe(
  v.string(),
  v.maxLength(20),
  v.regex(/^\d+(?:\.\d+)?$/),
  v.transform((text) => Number(text)),
);

const SCHEMAS = {
  members: v.pipe(Figure, MembersSchema),
  timing: TimingSchema,
  seed: v.pipe(Figure, SeedSchema),
  speed: v.pipe(v.union([v.literal("max"), Figure]), SpeedSchema),
  lang: v.picklist(["auto", "en", "zh-CN"]),
  theme: v.picklist(["auto", "light", "dark"]),
  autoplay: v.pipe(
    v.picklist(["0", "1"]),
    v.transform((text) => text === "1"),
  ),
} as const satisfies { readonly [Name in keyof Parameters]-?: v.GenericSchema<string, Parameters[Name]> };

/** As much of a bad value as a message shows. */
const SHOWN_MAX = 40;

export function readParameters(search: string): {
  readonly values: Parameters;
  readonly problems: readonly Problem[];
} {
  const given = new URLSearchParams(search);
  const problems: Problem[] = [];
  function read<Name extends keyof Parameters>(name: Name): Pick<Parameters, Name> | object {
    const value = given.get(name);
    if (value === null) return {};
    const checked = v.safeParse(SCHEMAS[name], value);
    if (checked.success) return { [name]: checked.output };
    problems.push({ kind: "parameter", name, value: value.slice(0, SHOWN_MAX) });
    return {};
  }
  const values: Parameters = {
    ...read("members"),
    ...read("timing"),
    ...read("seed"),
    ...read("speed"),
    ...read("lang"),
    ...read("theme"),
    ...read("autoplay"),
  };
  return { values, problems };
}
