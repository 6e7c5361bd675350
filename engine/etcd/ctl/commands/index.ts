/** Which program runs for which command of the tree. */
import type { Command } from "../ctl.ts";
import * as auth from "./auth.ts";
import { elect } from "./elect.ts";
import * as endpoint from "./endpoint.ts";
import * as kv from "./kv.ts";
import * as lease from "./lease.ts";
import { lock } from "./lock.ts";
import * as maintenance from "./maintenance.ts";
import * as member from "./member.ts";
import * as others from "./others.ts";
import * as role from "./role.ts";
import * as snapshot from "./snapshot.ts";
import { txn } from "./txn.ts";
import * as user from "./user.ts";
import { watch } from "./watch.ts";

/** By the names from below the root. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  put: kv.put,
  get: kv.get,
  del: kv.del,
  txn,
  compaction: kv.compaction,
  watch,
  lock,
  elect,
  defrag: endpoint.defrag,
  version: others.version,
  "alarm list": maintenance.alarmList,
  "alarm disarm": maintenance.alarmDisarm,
  "move-leader": maintenance.moveLeader,
  "endpoint status": endpoint.status,
  "endpoint health": endpoint.health,
  "endpoint hashkv": endpoint.hashkv,
  "lease grant": lease.grant,
  "lease revoke": lease.revoke,
  "lease timetolive": lease.timeToLive,
  "lease list": lease.list,
  "lease keep-alive": lease.keepAlive,
  "member add": member.add,
  "member remove": member.remove,
  "member update": member.update,
  "member list": member.list,
  "member promote": member.promote,
  "snapshot save": snapshot.save,
  "snapshot status": snapshot.status,
  "snapshot restore": snapshot.restore,
  "auth enable": auth.enable,
  "auth disable": auth.disable,
  "user add": user.add,
  "user delete": user.remove,
  "user get": user.get,
  "user list": user.list,
  "user passwd": user.passwd,
  "user grant-role": user.grantRole,
  "user revoke-role": user.revokeRole,
  "role add": role.add,
  "role delete": role.remove,
  "role get": role.get,
  "role list": role.list,
  "role grant-permission": role.grantPermission,
  "role revoke-permission": role.revokePermission,
  "make-mirror": others.makeMirror,
  migrate: others.migrate,
  "check perf": others.checkLoad,
  "check datascale": others.checkLoad,
  "completion bash": others.notHere,
  "completion zsh": others.notHere,
  "completion fish": others.notHere,
  "completion powershell": others.notHere,
};
