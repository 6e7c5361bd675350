/** From a call to what it puts into the log, and a few words for each. */
import { mixString, mixWord } from "../../base/hash.ts";
import type { ServiceHost } from "../../replica/service.ts";
import { toText } from "../api/bytes.ts";
import { leaseHex, NO_LEASE } from "../api/ids.ts";
import { InternalRaftRequest, type RequestHeader as Header, type RequestOp, type TxnRequest } from "../api/messages.ts";
import type { UnaryMethod } from "../api/methods.ts";
import { create, decode, type Of } from "../api/proto.ts";
import type { AuthInfo } from "../auth/auth-store.ts";
import { spanText } from "../mvcc/span.ts";

type RequestHeader = Of<typeof Header>;
type Field = Exclude<keyof InternalRaftRequest, "id" | "header">;

/** The calls that are proposed just as they are. */
export const PROPOSED: Partial<Readonly<Record<UnaryMethod, Field>>> = {
  "KV/Put": "put",
  "KV/DeleteRange": "deleteRange",
  "KV/Txn": "txn",
  "KV/Compact": "compaction",
  "Lease/LeaseGrant": "leaseGrant",
  "Lease/LeaseRevoke": "leaseRevoke",
  "Maintenance/Alarm": "alarm",
  "Auth/AuthEnable": "authEnable",
  "Auth/AuthDisable": "authDisable",
  "Auth/AuthStatus": "authStatus",
  "Auth/UserAdd": "authUserAdd",
  "Auth/UserGet": "authUserGet",
  "Auth/UserList": "authUserList",
  "Auth/UserDelete": "authUserDelete",
  "Auth/UserChangePassword": "authUserChangePassword",
  "Auth/UserGrantRole": "authUserGrantRole",
  "Auth/UserRevokeRole": "authUserRevokeRole",
  "Auth/RoleAdd": "authRoleAdd",
  "Auth/RoleGet": "authRoleGet",
  "Auth/RoleList": "authRoleList",
  "Auth/RoleDelete": "authRoleDelete",
  "Auth/RoleGrantPermission": "authRoleGrantPermission",
  "Auth/RoleRevokePermission": "authRoleRevokePermission",
};

/** A request of the log with its header. `serial` makes its id unique in one life of a member. */
export function withHeader(
  given: Partial<InternalRaftRequest>,
  { id, incarnation }: Pick<ServiceHost, "id" | "incarnation">,
  serial: number,
  info: AuthInfo | null,
): Partial<InternalRaftRequest> {
  const header: RequestHeader = {
    id: `${lifeOf(id, incarnation)}${String(serial).padStart(10, "0")}`,
    username: info?.username ?? "",
    authRevision: info?.revision ?? 0,
  };
  // Not `{ ...given, header }`: a copy that then grows costs a microsecond.
  return Object.assign({ header }, given);
}

/** Four digits that tell one life of a member from others. With ten for the serial a request's id is a safe integer. */
function lifeOf(id: string, incarnation: number): number {
  return 1_000 + ((mixWord(mixString(3, id), incarnation) >>> 0) % 9_000);
}

/** What an entry of the log asks for. */
export function readRequest(command: Uint8Array): InternalRaftRequest {
  return decode(InternalRaftRequest, command);
}

export function requestFor(field: Field, body: object): InternalRaftRequest {
  return create(InternalRaftRequest, { [field]: body });
}

/** The one request that an entry holds, and what it is. */
export function kindOf(request: InternalRaftRequest): { readonly field: Field; readonly body: object } | null {
  for (const [field, body] of Object.entries(request))
    if (field !== "id" && field !== "header" && body !== null) return { field: field as Field, body: body as object };
  return null;
}

const SHOWN = 24;

const shown = (bytes: string): string => {
  const text = toText(bytes);
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
};

/** For a picture of the log: put k=v, del a*, txn 2, grant 15 s. */
export function labelOf(request: InternalRaftRequest): string {
  const { put, deleteRange, range, txn, compaction, leaseGrant, leaseRevoke } = request;
  if (put !== null) return `put ${shown(put.key)}=${shown(put.value)}`;
  if (deleteRange !== null) return `del ${spanText(deleteRange, shown)}`;
  if (range !== null) return `get ${spanText(range, shown)}`;
  if (txn !== null) return txnLabel(txn);
  if (compaction !== null) return `compact ${compaction.revision}`;
  if (leaseGrant !== null) {
    const id = leaseGrant.id === NO_LEASE ? "" : ` ${leaseHex(leaseGrant.id)}`;
    return `grant${id} ${leaseGrant.ttl} s`;
  }
  if (leaseRevoke !== null) return `revoke ${leaseHex(leaseRevoke.id)}`;
  if (request.clusterMemberAttrSet !== null) return `publish ${request.clusterMemberAttrSet.name}`;
  if (request.downgradeInfoSet !== null) {
    const { enabled, ver } = request.downgradeInfoSet;
    return enabled ? `downgrade to ${ver}` : "downgrade cancelled";
  }
  if (request.alarm !== null) return `alarm ${request.alarm.alarm.toLowerCase()}`;
  return kindOf(request)?.field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) ?? "";
}

function txnLabel({ success }: TxnRequest): string {
  const words = success.map((op: RequestOp) => {
    if (op.requestPut !== null) return `put ${shown(op.requestPut.key)}`;
    if (op.requestDeleteRange !== null) return `del ${spanText(op.requestDeleteRange, shown)}`;
    if (op.requestRange !== null) return `get ${spanText(op.requestRange, shown)}`;
    return "txn";
  });
  return `txn ${words.slice(0, 2).join(", ")}${words.length > 2 ? " …" : ""}`;
}

/** For a request that is on its way. */
export function callLabel(method: UnaryMethod, body: object): string {
  const field = method === "KV/Range" ? "range" : PROPOSED[method];
  if (field !== undefined) return labelOf(requestFor(field, body));
  const name = "name" in body && typeof body.name === "string" ? ` ${shown(body.name)}` : "";
  return `${(method.split("/")[1] ?? method).replace(/[A-Z]/g, (letter, at: number) => (at === 0 ? letter.toLowerCase() : ` ${letter.toLowerCase()}`))}${name}`;
}
