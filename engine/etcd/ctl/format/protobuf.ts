/**
 * `-w protobuf`: the answer's bytes. Of the lease answers, which the client library makes anew, only the header's: that
 * is all that can encode itself there.
 */
import { unreachable } from "../../../base/assert.ts";
import { fromArray } from "../../api/bytes.ts";
import * as m from "../../api/messages.ts";
import { type Descriptor, encode } from "../../api/proto.ts";
import { PANIC, type Rendered, type Shown, text, UNSUPPORTED } from "./shown.ts";

export function protobuf(shown: Shown): Rendered {
  const bytes = <T>(of: Descriptor<T>, value: T) => text(fromArray(encode(of, value)));
  switch (shown.type) {
    case "get":
      return bytes(m.RangeResponse, shown.response);
    case "put":
      return bytes(m.PutResponse, shown.response);
    case "del":
      return bytes(m.DeleteRangeResponse, shown.response);
    case "txn":
      return bytes(m.TxnResponse, shown.response);
    case "watch":
      return bytes(m.WatchResponse, { ...shown.response, watchId: 0, cancelReason: "", fragment: false });
    case "revoke":
      return bytes(m.LeaseRevokeResponse, shown.response);
    case "grant":
    case "time-to-live":
    case "leases":
    case "keep-alive":
      return shown.response.header === null ? PANIC : bytes(m.ResponseHeader, shown.response.header);
    case "alarm":
      return bytes(m.AlarmResponse, { header: null, alarms: shown.alarms });
    case "member-add":
      return bytes(m.MemberAddResponse, shown.response);
    case "member-remove":
      return bytes(m.MemberRemoveResponse, shown.response);
    case "member-update":
      return bytes(m.MemberUpdateResponse, shown.response);
    case "member-list":
      return bytes(m.MemberListResponse, shown.response);
    case "member-promote":
      return PANIC;
    case "move-leader":
      return text("");
    case "deed":
      return bytes(m.AuthResponse, { header: shown.header });
    case "role-get":
      return bytes(m.AuthRoleGetResponse, shown.response);
    case "role-list":
      return bytes(m.AuthRoleListResponse, shown.response);
    case "user-get":
      return bytes(m.AuthUserGetResponse, shown.response);
    case "user-list":
      return bytes(m.AuthUserListResponse, shown.response);
    case "health":
    case "status":
    case "hash":
    case "snapshot":
      return UNSUPPORTED;
    default:
      return unreachable(shown);
  }
}
