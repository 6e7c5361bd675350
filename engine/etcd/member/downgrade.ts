/**
 * The Downgrade call (3.5 and newer; etcd server/etcdserver/v3_server.go): whether a cluster may go back one minor
 * version, that it shall, and that it shall not after all. What is enabled is in the log, and stays so until it is
 * cancelled: in the page no member is ever replaced by an older one, which would end it.
 */
import { CODES, type EtcdError } from "../api/errors.ts";
import { DowngradeInfoSetRequest, DowngradeResponse } from "../api/messages.ts";
import type { RequestOf } from "../api/methods.ts";
import { create, type Of } from "../api/proto.ts";
import type { EtcdState } from "../state.ts";
import { invalid, precondition } from "./answers.ts";

export const NO_DOWNGRADES: EtcdError = { code: CODES.Unimplemented, message: "unknown method Downgrade" };
/** As semver has them; etcd reads 3.4 as 3.4.0. */
const VERSION = /^(\d+)\.(\d+)(?:\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?)?$/u;

type Asked = RequestOf<"Maintenance/Downgrade">;

/** What is refused before anybody is asked who leads. */
export function badTarget({ action, version }: Asked): EtcdError | null {
  const isBad = action !== "CANCEL" && !VERSION.test(version);
  return isBad ? invalid("etcdserver: wrong downgrade target version format") : null;
}

/** What a member answers that has applied all there was; or what it puts into the log. */
export function downgradeOf(
  { action, version }: Asked,
  { clusterVersion, downgrade }: EtcdState,
): { readonly answer: object | EtcdError } | { readonly set: Of<typeof DowngradeInfoSetRequest> } {
  if (action === "CANCEL") {
    if (downgrade === null) return { answer: precondition("etcdserver: no inflight downgrade job") };
    return { set: create(DowngradeInfoSetRequest) };
  }
  const [target, own] = [minorOf(version), minorOf(clusterVersion)];
  if (target.major !== own.major || target.minor !== own.minor - 1)
    return { answer: invalid("etcdserver: invalid downgrade target version") };
  if (downgrade !== null) return { answer: precondition("etcdserver: cluster has a downgrade job in progress") };
  if (action === "VALIDATE") return { answer: create(DowngradeResponse, { version: clusterVersion }) };
  return { set: create(DowngradeInfoSetRequest, { enabled: true, ver: `${target.major}.${target.minor}.0` }) };
}

function minorOf(version: string): { readonly major: number; readonly minor: number } {
  const [, major, minor] = VERSION.exec(version) ?? [];
  return { major: Number(major), minor: Number(minor) };
}
