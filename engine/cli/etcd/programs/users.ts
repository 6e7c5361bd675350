/** Users, roles and permissions, before authentication is on, and what is refused once it is. */
import { b64, Draw, EVERYTHING, inTurn, keyOf, KV, LEASE, type Program, prefixOf, spanOf, type Span } from "./kit.ts";

const AUTH = "/v3/auth/";
const USERS = ["root", "ann", "bob", "", "née"];
const ROLES = ["root", "reader", "writer", "", "r:1"];

export function usersProgram(seed: number): Program {
  return {
    name: `users-${seed}`,
    about: "users, roles, permissions; authentication on and off",
    seed,
    // With bcrypt's least cost: a real etcd takes its time for each password.
    flags: ["--bcrypt-cost", "4"],
    run: async (recorder) => {
      const draw = new Draw(seed, "users");
      const user = (): string => draw.pick(USERS);
      const role = (): string => draw.pick(ROLES);
      const password = (): string => draw.pick(["pw", "secret", "", "pw"]);
      const span = (): Span =>
        draw.way<Span>([
          [4, () => keyOf(draw.pick(["a", "b", "c", "k1", ""]))],
          [3, () => prefixOf(draw.pick(["a", "k", "b"]))],
          [2, () => spanOf(draw.pick(["a", "b", "k"]), draw.pick(["c", "d", "l", "a"]))],
          [1, () => EVERYTHING],
          [1, () => spanOf(draw.pick(["a", "b"]), "\0")],
        ]);
      const perm = (): object => ({
        ...span(),
        ...(draw.chance(85) && { permType: draw.pick(["READ", "WRITE", "READWRITE"]) }),
      });
      const ask = (verb: string, request: object): Promise<unknown> => recorder.call(`${AUTH}${verb}`, request);
      const steps: readonly (readonly [number, () => Promise<unknown>])[] = [
        [
          12,
          () =>
            ask("user/add", {
              name: user(),
              password: password(),
              ...(draw.chance(8) && { options: { no_password: true } }),
            }),
        ],
        [6, () => ask("user/get", { name: user() })],
        [4, () => ask("user/list", {})],
        [3, () => ask("user/delete", { name: user() })],
        [4, () => ask("user/changepw", { name: user(), password: password() })],
        [10, () => ask("user/grant", { user: user(), role: role() })],
        [4, () => ask("user/revoke", { name: user(), role: role() })],
        [10, () => ask("role/add", { name: role() })],
        [6, () => ask("role/get", { role: role() })],
        [3, () => ask("role/list", {})],
        [2, () => ask("role/delete", { role: role() })],
        [12, () => ask("role/grant", { name: role(), perm: perm() })],
        [6, () => ask("role/revoke", { role: role(), ...span() })],
        [3, () => ask("authenticate", { name: user(), password: password() })],
        [1, () => ask("disable", {})],
        [3, () => recorder.call(`${KV}put`, { key: b64("a"), value: b64("1") })],
      ];
      await inTurn(60, () => draw.way(steps));
      await ask("enable", {});
      if (draw.chance(70)) {
        // Whatever was before, now root is there as it must be.
        await ask("user/add", { name: "root", password: "pw" });
        await ask("role/add", { name: "root" });
        await ask("user/grant", { user: "root", role: "root" });
        await ask("enable", {});
        await ask("enable", {});
        await ask("authenticate", { name: "root", password: "wrong" });
        await ask("authenticate", { name: "nobody", password: "pw" });
        await ask("authenticate", { name: "", password: "" });
        await inTurn(12, () => draw.way(steps));
        await recorder.call(`${KV}range`, EVERYTHING);
        await recorder.call(`${KV}deleterange`, EVERYTHING);
        await recorder.call(`${KV}txn`, { success: [{ request_put: { key: b64("a"), value: b64("2") } }] });
        await recorder.call(`${KV}txn`, { success: [{ request_range: { key: b64("a") } }] });
        await recorder.call(`${KV}txn`, {});
        await recorder.call(`${KV}compaction`, { revision: "1" });
        await recorder.call(`${LEASE}grant`, { ID: "5", TTL: "600" });
        await recorder.call(`${LEASE}timetolive`, { ID: "5" });
        await recorder.call(`${LEASE}leases`, {});
        await recorder.call(`${LEASE}revoke`, { ID: "5" });
        await recorder.call(`${LEASE}keepalive`, { ID: "5" });
        await recorder.call("/v3/lock/lock", { name: b64("m") });
        await recorder.call("/v3/election/leader", { name: b64("m") });
        await recorder.call("/v3/cluster/member/list", {});
        await recorder.call("/v3/maintenance/status", {});
        await recorder.call("/v3/maintenance/alarm", {});
        await recorder.call("/v3/maintenance/defragment", {});
        recorder.watchOpen("w");
        await recorder.watchSend("w", { create_request: EVERYTHING });
        await recorder.watchDrain("w");
        recorder.watchClose("w");
      }
    },
  };
}
