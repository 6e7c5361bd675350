/** What is wrong with a call whatever the store holds. */
import * as check from "../api/check.ts";
import type { EtcdError } from "../api/errors.ts";
import type { DeleteRangeRequest, PutRequest, RangeRequest, TxnRequest } from "../api/messages.ts";
import type { UnaryMethod } from "../api/methods.ts";
import type { Compat } from "../mvcc/mvcc.ts";

export function checkCall(method: UnaryMethod, body: object, compat: Compat): EtcdError | null {
  switch (method) {
    case "KV/Range":
      return check.checkRange(body as RangeRequest, compat !== "3.4");
    case "KV/Put":
      return check.checkPut(body as PutRequest);
    case "KV/DeleteRange":
      return check.checkDeleteRange(body as DeleteRangeRequest);
    case "KV/Txn":
      return check.checkTxn(body as TxnRequest, compat !== "3.4");
    default:
      return null;
  }
}
