/**
 * What the tool does between reading its line and its first call: variables of the environment, the output format,
 * certificates, endpoints, name and password.
 */
import { unreachable } from "../../base/assert.ts";
import type { EtcdClientConfig } from "../client/config.ts";
import { etcdClientConfig } from "../client/config.ts";
import { fromText } from "../api/bytes.ts";
import type { CommandSpec } from "./cobra/command.ts";
import { inheritedFlags, type Path } from "./cobra/command.ts";
import { type Flag, type FlagValues, parseFlags } from "./cobra/flags.ts";
import { type Ctl, EXIT } from "./ctl.ts";
import { durationText } from "./go/duration.ts";
import { type Format, FORMATS } from "./format/shown.ts";

const variable = (flag: string) => `ETCDCTL_${flag.toUpperCase().replaceAll("-", "_")}`;

/** Values of flags that were not given, from the environment; a bad one counts for nothing. */
export function withEnvironment(path: Path, flags: FlagValues, env: Readonly<Record<string, string>>): FlagValues {
  const values = { ...flags.values };
  const changed = [...flags.changed];
  for (const of of inheritedFlags(path)) {
    const text = env[variable(of.name)];
    if (text === undefined || text === "" || flags.changed.includes(of.name)) continue;
    const parsed = parseFlags([of], [`--${of.name}=${text}`]);
    if (!parsed.ok) continue;
    values[of.name] = parsed.values[of.name] as FlagValues["values"][string];
    changed.push(of.name);
  }
  return { ...flags, values, changed };
}

/** A flag that is given and set in the environment as well is an error. */
export function refuseConflicts(ctl: Ctl, path: Path, given: readonly string[]): void {
  for (const of of inheritedFlags(path)) {
    const name = variable(of.name);
    if (!given.includes(of.name) || (ctl.env[name] ?? "") === "") continue;
    const advice = "either unset environment variable or disable flag";
    ctl.complain(
      fromText(
        `pkg/flags: conflicting environment variable "${name}" is shadowed by corresponding command-line flag (${advice})\n`,
      ),
    );
    ctl.exit(EXIT.error);
  }
}

/** With `--debug`: every global flag as a variable. */
export function printDebug(ctl: Ctl, path: Path): void {
  if (!ctl.bool("debug")) return;
  for (const of of inheritedFlags(path)) {
    ctl.complain(fromText(`${variable(of.name)}=${valueText(ctl, of)}\n`));
  }
}

function valueText(ctl: Ctl, { type, name }: Flag): string {
  switch (type) {
    case "bool":
      return String(ctl.bool(name));
    case "stringSlice":
      return `[${ctl.list(name).join(",")}]`;
    case "duration":
      return durationText(ctl.number(name));
    case "string":
      return ctl.text(name);
    case "int":
    case "int64":
      return String(ctl.number(name));
    default:
      return unreachable(type);
  }
}

export function settleFormat(ctl: Ctl): void {
  const format = FORMATS.find((name) => name === ctl.text("write-out"));
  if (format === undefined) return ctl.fail(EXIT.badFeature, "unsupported output format");
  ctl.format = format satisfies Format;
}

/** Certificates are looked for and not found: there is no TLS in the page. */
export function checkCertificates(ctl: Ctl): void {
  const [cert, key, cacert] = [ctl.text("cert"), ctl.text("key"), ctl.text("cacert")];
  if ((cert === "") !== (key === ""))
    ctl.fail(EXIT.badArgs, `KeyFile and CertFile must both be present[key: ${key}, cert: ${cert}]`);
  for (const path of [cert, key, cacert])
    if (path !== "" && ctl.files.read(path) === null) ctl.fail(EXIT.badArgs, `open ${path}: no such file or directory`);
}

export interface Credentials {
  readonly name: string;
  /** Null: it has to be asked for. */
  readonly password: string | null;
}

export const NOBODY: Credentials = { name: "", password: "" };

/** From `--user` and `--password`. */
export function credentials(ctl: Ctl): Credentials {
  const [user, password] = [ctl.text("user"), ctl.text("password")];
  if (user === "") return NOBODY;
  if (password !== "") return { name: user, password };
  const colon = user.indexOf(":");
  return colon < 0 ? { name: user, password: null } : { name: user.slice(0, colon), password: user.slice(colon + 1) };
}

export function clientConfig(
  ctl: Ctl,
  user: EtcdClientConfig["user"],
  spec: CommandSpec,
  compat: EtcdClientConfig["compat"],
): EtcdClientConfig {
  const endpoints = ctl.list("endpoints");
  const resolved = (endpoints.length === 0 ? [""] : endpoints).map((endpoint) => ctl.resolve(endpoint));
  return etcdClientConfig([...new Set(resolved)], {
    dialTimeout: ctl.number("dial-timeout"),
    keepAlive: { time: Math.max(10_000_000, ctl.number("keepalive-time")), timeout: ctl.number("keepalive-timeout") },
    requireLeader: spec.use.startsWith("watch"),
    user,
    compat,
  });
}
