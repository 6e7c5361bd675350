/**
 * Which way a call goes. It is checked by itself; then it goes into the log (writes), through a round that proves who leads
 * (linearizable reads), or straight to what this member has.
 */
import type { Stamp } from "../../sim/process.ts";
import * as check from "../api/check.ts";
import { type EtcdError, etcdError } from "../api/errors.ts";
import { NO_LEASE } from "../api/ids.ts";
import * as m from "../api/messages.ts";
import type { Metadata, RequestOf, UnaryMethod } from "../api/methods.ts";
import { create } from "../api/proto.ts";
import { type Caller, type Core, isFailure, nameOf } from "./core.ts";
import { badTarget, downgradeOf, NO_DOWNGRADES } from "./downgrade.ts";
import type { LeaseCalls } from "./lease-calls.ts";
import type { Maintenance } from "./maintenance.ts";
import type { Members } from "./members.ts";
import type { Proposals } from "./proposals.ts";
import type { Reader, Reads } from "./reads.ts";
import type { Routines } from "./routines.ts";

export interface CallServices {
  readonly proposals: Proposals;
  readonly reads: Reads;
  readonly leases: LeaseCalls;
  readonly routines: Routines;
  readonly members: Members;
  readonly maintenance: Maintenance;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export class Calls {
  readonly #core: Core;
  readonly #services: CallServices;

  constructor(core: Core, services: CallServices) {
    this.#core = core;
    this.#services = services;
  }

  call(caller: Caller, method: UnaryMethod, metadata: Metadata, body: object, stamp: Stamp): void {
    const core = this.#core;
    const { proposals, leases, routines, members, maintenance } = this.#services;
    const refused = this.#refusedAtOnce(method, metadata, body);
    if (refused !== null) return core.answer(caller, refused, stamp);
    switch (method) {
      case "KV/Range":
        return this.#read(caller, method, metadata, body, (body as m.RangeRequest).serializable, stamp);
      case "KV/Txn": {
        const txn = body as m.TxnRequest;
        if (check.isReadOnlyTxn(txn))
          return this.#read(caller, method, metadata, txn, check.isSerializableTxn(txn), stamp);
        return proposals.call(caller, method, metadata, body, stamp);
      }
      case "Lease/LeaseGrant": {
        const asked = body as m.LeaseGrantRequest;
        const id = asked.id === NO_LEASE ? leases.newLease() : asked.id;
        return proposals.call(caller, method, metadata, { ...asked, id }, stamp);
      }
      case "Lease/LeaseTimeToLive": {
        const request = body as RequestOf<"Lease/LeaseTimeToLive">;
        return leases.ask(caller, { type: "time-to-live", request }, stamp);
      }
      case "Lease/LeaseLeases":
        return leases.list(caller, stamp);
      case "Auth/Authenticate":
        return this.#read(caller, method, metadata, body, false, stamp);
      case "Lock/Lock":
      case "Lock/Unlock":
      case "Election/Campaign":
      case "Election/Proclaim":
      case "Election/Leader":
      case "Election/Resign":
        return routines.begin(caller, method, metadata, body, stamp);
      case "Cluster/MemberAdd":
      case "Cluster/MemberRemove":
      case "Cluster/MemberUpdate":
      case "Cluster/MemberPromote":
        return members.call(caller, method, metadata, body, stamp);
      case "Cluster/MemberList": {
        const linearizable = core.config.compat !== "3.4" && (body as RequestOf<"Cluster/MemberList">).linearizable;
        return this.#read(caller, method, metadata, body, !linearizable, stamp);
      }
      case "Maintenance/Downgrade": {
        const asked = body as RequestOf<typeof method>;
        const refused = core.config.compat === "3.4" ? NO_DOWNGRADES : badTarget(asked);
        if (refused !== null) return core.answer(caller, refused, stamp);
        return this.#read(caller, method, metadata, body, false, stamp);
      }
      case "Maintenance/Status":
        return core.answer(caller, maintenance.status(), stamp);
      case "Maintenance/Defragment":
      case "Maintenance/Hash":
      case "Maintenance/HashKV":
      case "Maintenance/MoveLeader":
        return maintenance.call(caller, method, metadata, body, stamp);
      default:
        return proposals.call(caller, method, metadata, body, stamp);
    }
  }

  /** The round of a linearizable read is over. */
  readDone(reader: Reader, problem: EtcdError | null, stamp: Stamp): void {
    if (problem !== null) return this.#core.answer(reader.caller, problem, stamp);
    const call = nameOf(reader.caller);
    if (call !== null) this.#core.emit?.({ type: "etcd-read-confirmed", call });
    this.#readNow(reader, stamp);
  }

  // ── inside ──

  #refusedAtOnce(method: UnaryMethod, { hasLeader }: Metadata, body: object): EtcdError | null {
    const { isLearner, leader, config } = this.#core;
    if (isLearner) {
      const local = method === "KV/Range" && (body as m.RangeRequest).serializable;
      if (!local && method !== "Maintenance/Status") return etcdError("NotSupportedForLearner");
    }
    if (hasLeader && leader === null) return etcdError("NoLeader");
    return checkCall(method, body, config.compat !== "3.4");
  }

  #read(caller: Caller, method: UnaryMethod, metadata: Metadata, body: object, local: boolean, stamp: Stamp): void {
    const reader: Reader = { caller, method, metadata, body };
    if (local) return this.#readNow(reader, stamp);
    this.#services.reads.add(reader, stamp);
  }

  /** From what this member has applied. */
  #readNow({ caller, method, metadata, body }: Reader, stamp: Stamp): void {
    const core = this.#core;
    const { state } = core;
    if (method === "Cluster/MemberList") {
      const members = this.#services.members.list();
      return core.answer(caller, { header: core.memberHeader(), members }, stamp);
    }
    if (method === "Auth/Authenticate") return this.#authenticate(caller, body as RequestOf<typeof method>, stamp);
    const info = state.auth.infoOf(metadata.token);
    if (method === "Maintenance/Downgrade") {
      const done = downgradeOf(body as RequestOf<typeof method>, state);
      if ("answer" in done) return core.answer(caller, done.answer, stamp);
      if (info !== null && isFailure(info)) return core.answer(caller, info, stamp);
      return this.#services.proposals.propose(caller, method, { downgradeInfoSet: done.set }, info, stamp);
    }
    if (info !== null && isFailure(info)) return core.answer(caller, info, stamp);
    if (method === "KV/Txn") {
      const txn = body as m.TxnRequest;
      return core.answer(caller, state.auth.checkTxn(info, txn) ?? state.readTxn(txn), stamp);
    }
    const range = body as m.RangeRequest;
    core.answer(caller, state.auth.checkRange(info, range) ?? state.range(range), stamp);
  }

  /** The password is looked at here; the token goes through the log, since all members must know it. */
  #authenticate(caller: Caller, { name, password }: RequestOf<"Auth/Authenticate">, stamp: Stamp): void {
    const { state, host } = this.#core;
    const problem = state.auth.checkPassword(name, password);
    if (problem !== null) return this.#core.answer(caller, problem, stamp);
    const letters = Array.from({ length: 16 }, () => LETTERS.charAt(host.rng.below(LETTERS.length))).join("");
    const authenticate = create(m.InternalAuthenticateRequest, { name, simpleToken: letters });
    this.#services.proposals.propose(caller, "Auth/Authenticate", { authenticate }, null, stamp);
  }
}

/** What is wrong with a call whatever the store holds. */
function checkCall(method: UnaryMethod, body: object, knowsSorts: boolean): EtcdError | null {
  switch (method) {
    case "KV/Range":
      return check.checkRange(body as m.RangeRequest, knowsSorts);
    case "KV/Put":
      return check.checkPut(body as m.PutRequest);
    case "KV/DeleteRange":
      return check.checkDeleteRange(body as m.DeleteRangeRequest);
    case "KV/Txn":
      return check.checkTxn(body as m.TxnRequest, knowsSorts);
    default:
      return null;
  }
}
