import { expect, it } from "vitest";
import type { ClientEvent } from "../../replica/client.ts";
import type { ProcessId } from "../../sim/command.ts";
import { Clients, newClient } from "./clients.ts";
import { Notes } from "./notes.ts";

const [C1] = ["c1"] as readonly string[] as readonly [ProcessId];

function oneClient(): { readonly clients: Clients; readonly tell: (event: ClientEvent) => void } {
  const clients = new Clients(new Notes({ notes: [], faults: [] }), { clients: [newClient(C1)], owners: [] });
  const tell = (event: ClientEvent): void => {
    const client = clients.draft(C1);
    if (client !== null) clients.add({ id: 1, cause: 0, at: 5, process: C1, incarnation: 1, event }, client, event);
  };
  return { clients, tell };
}

const asked = (request: number): ClientEvent => ({ type: "write-asked", request, value: `v${request}`, member: null });
const done = (request: number): ClientEvent => ({ type: "write-done", request, value: `v${request}` });

it.each(["takeChanges", "all", "state"] as const)("what was told by %s stays as it was told", (how) => {
  const { clients, tell } = oneClient();
  tell(asked(1));
  const told = clients[how]();
  const then = structuredClone(told);
  tell(done(1));
  tell(asked(2));
  expect(told).toStrictEqual(then);
  expect(clients.takeChanges()[0]?.writes.map(({ outcome }) => outcome)).toStrictEqual(["done", "pending"]);
});

it("a list that did not change is the very same one when something else did", () => {
  const { clients, tell } = oneClient();
  tell(asked(1));
  const [before] = clients.takeChanges();
  tell({ type: "client-step", step: "idle", member: null, request: null });
  const [after] = clients.takeChanges();
  expect(after?.writes).toBe(before?.writes);
});

it("the oldest requests go when there are more than are shown", () => {
  const { clients, tell } = oneClient();
  for (let request = 1; request <= 25; request += 1) tell(asked(request));
  const writes = clients.takeChanges()[0]?.writes ?? [];
  expect([writes.length, writes[0]?.request, writes.at(-1)?.request]).toStrictEqual([20, 6, 25]);
});
