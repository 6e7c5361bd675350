import { describe, expect, it } from "vitest";
import { rngFor } from "../../base/rng.ts";
import { SECOND } from "../../base/units.ts";
import type { ConsoleInput, ProcessId } from "../../sim/command.ts";
import { EffectList, type Input } from "../../sim/process.ts";
import { toText } from "../api/bytes.ts";
import { etcdError } from "../api/errors.ts";
import { KeyValue, Member, MemberAddResponse, PutResponse, RangeResponse, ResponseHeader } from "../api/messages.ts";
import type { ClientFrame, ServerFrame } from "../api/methods.ts";
import { create } from "../api/proto.ts";
import { Console, type ConsoleConfig, type ConsoleEvent } from "./console.ts";

const id = (name: string) => name as ProcessId;
const header = create(ResponseHeader, { clusterId: "7", memberId: "8" as never, revision: 3, raftTerm: 2 });

/** A console that a test drives by hand; members take every connection at once. */
class Desk {
  readonly out = new EffectList();
  console: Console;
  now = 0;
  stdout = "";
  stderr = "";
  code: number | null = null;
  wakeAt: number | null = null;
  frames: { readonly connection: string; readonly frame: ClientFrame }[] = [];
  /** Whom it wanted a connection with. */
  readonly opened: string[] = [];

  constructor() {
    this.console = this.make();
    this.input({ type: "boot", incarnation: 1, files: [], settings: {} as never });
  }

  make(): Console {
    const addresses = { "n1:2379": id("n1"), "n2:2379": id("n2") };
    const config: ConsoleConfig = { program: "console", addresses, endpoints: "n1:2379", compat: "3.4" };
    return new Console(config, { id: id("c1"), rng: rngFor(1, "c1"), out: this.out });
  }

  input(input: Input): void {
    this.console.step(input, { mono: this.now, wall: this.now, awake: this.now });
    this.take();
  }

  take(): void {
    for (const effect of this.out.take()) {
      if (effect[0] === "open") this.opened.push(effect[2]);
      if (effect[0] === "open")
        this.input(
          effect[2] === id("n1")
            ? { type: "connected", connection: effect[1] }
            : { type: "closed", connection: effect[1], reset: true },
        );
      else if (effect[0] === "transmit") this.frames.push({ connection: effect[1], frame: effect[2] as ClientFrame });
      else if (effect[0] === "wake") this.wakeAt = effect[1];
      else if (effect[0] === "emit") this.heard(effect[1] as ConsoleEvent);
    }
  }

  heard(event: ConsoleEvent): void {
    if (event.type === "console-output") this[event.stream] += toText(event.text);
    else if (event.type === "console-exit") this.code = event.code;
  }

  ask(input: ConsoleInput): void {
    this.input({ type: "asked", ask: { type: "console", input } });
  }

  line(text: string): void {
    this.code = null;
    this.ask({ do: "line", text });
  }

  answer(body: object): void {
    const { connection, frame } = this.lastCall();
    this.input({
      type: "received",
      connection,
      data: { type: "answer", call: frame.call, body } satisfies ServerFrame,
    });
  }

  lastCall() {
    const last = this.frames.findLast(({ frame }) => frame.type === "call");
    return last as { readonly connection: string; readonly frame: Extract<ClientFrame, { readonly type: "call" }> };
  }

  pass(span: number): void {
    const end = this.now + span;
    while (this.wakeAt !== null && this.wakeAt <= end) {
      this.now = Math.max(this.now, this.wakeAt);
      this.input({ type: "wake" });
    }
    this.now = end;
  }
}

describe("a console", () => {
  it("a typed command goes to the member, and its answer is printed", () => {
    const desk = new Desk();
    desk.line("put k 'two words' --prev-kv");
    expect(desk.lastCall().frame).toMatchObject({
      method: "KV/Put",
      body: { key: "k", value: "two words", prevKv: true },
    });
    desk.answer(create(PutResponse, { header, prevKv: create(KeyValue, { key: "k", value: "old" }) }));
    expect([desk.stdout, desk.code]).toEqual(["OK\nk\nold\n", 0]);
  });

  it("what is typed while a command runs is its standard input, until Ctrl-D", () => {
    const desk = new Desk();
    desk.line("put k");
    desk.line("first");
    desk.ask({ do: "type", text: "second" });
    expect(desk.frames).toEqual([]);
    desk.ask({ do: "eof" });
    expect(desk.lastCall().frame.body).toMatchObject({ value: "first\nsecond" });
  });

  it("with nobody listening it gives up after the command's time", () => {
    const desk = new Desk();
    desk.line("get k --endpoints=nobody:1 --command-timeout=3s");
    desk.pass(2 * SECOND);
    expect(desk.code).toBeNull();
    desk.pass(2 * SECOND);
    expect([desk.stderr, desk.code]).toEqual(["Error: context deadline exceeded\n", 1]);
  });

  it("Ctrl-C ends a command that has no way of its own with it, and the next one can be typed", () => {
    const desk = new Desk();
    desk.line("watch k");
    desk.ask({ do: "interrupt" });
    expect(desk.code).toBe(130);
    desk.line("version");
    expect([desk.stdout, desk.code]).toEqual(["etcdctl version: 3.4.23\nAPI version: 3.4\n", 0]);
  });

  it("a password that members refuse ends it before the command", () => {
    const desk = new Desk();
    desk.line("--user=ann:wrong get k");
    expect(desk.lastCall().frame).toMatchObject({
      method: "Auth/Authenticate",
      body: { name: "ann", password: "wrong" },
    });
    const { connection, frame } = desk.lastCall();
    desk.input({
      type: "received",
      connection,
      data: { type: "error", call: frame.call, error: etcdError("AuthFailed") },
    });
    expect(desk.code).toBe(2);
    expect(desk.stderr).toBe("Error: etcdserver: authentication failed, invalid user ID or password\n");
  });

  it("a new member is told of by the answer to member add alone: no other member's list is asked for", () => {
    const desk = new Desk();
    desk.line("etcdctl member add n4 --peer-urls=http://n4:2380");
    const old = create(Member, { id: "1" as never, name: "n1", peerUrls: ["http://n1:2380"] });
    const added = create(Member, { id: "4" as never, peerUrls: ["http://n4:2380"] });
    const before = desk.frames.length;
    desk.answer(create(MemberAddResponse, { header, member: added, members: [old, added] }));
    expect(desk.code).toBe(0);
    expect(desk.stdout).toContain('ETCD_INITIAL_CLUSTER="n1=http://n1:2380,n4=http://n4:2380"\n');
    expect(desk.frames.slice(before)).toEqual([]);
  });

  it("3.4 asks the next endpoint for a token when one refuses, and all of them in the dial timeout", () => {
    const desk = new Desk();
    desk.line("--endpoints=n1:2379,n2:2379 --user=ann:wrong get k");
    const { connection, frame } = desk.lastCall();
    desk.input({
      type: "received",
      connection,
      data: { type: "error", call: frame.call, error: etcdError("AuthFailed") },
    });
    expect([desk.opened.at(-1), desk.code]).toEqual(["n2", null]);
    desk.pass(2 * SECOND);
    expect([desk.stderr, desk.code]).toEqual(["Error: context deadline exceeded\n", 2]);
  });

  it("variables set alone on a line stay, and a flag beside one is an error", () => {
    const desk = new Desk();
    desk.line("ETCDCTL_WRITE_OUT=json");
    desk.line("get k");
    desk.answer(create(RangeResponse, { header }));
    expect(desk.stdout).toBe('{"header":{"cluster_id":7,"member_id":8,"revision":3,"raft_term":2}}\n');
    desk.line("get k -w fields");
    expect(desk.code).toBe(1);
    expect(desk.stderr).toContain('conflicting environment variable "ETCDCTL_WRITE_OUT"');
  });

  it("continued from a checkpoint, a transaction that is half typed ends as it would have", () => {
    const desk = new Desk();
    desk.line("txn -i");
    desk.line('value("k") = "1"');
    const checkpoint = structuredClone(desk.console.checkpoint());
    desk.console = desk.make();
    desk.console.restore(checkpoint);
    for (const line of ["", "put k 2", "", ""]) desk.line(line);
    expect(desk.stdout).toBe("compares:\nsuccess requests (get, put, del):\nfailure requests (get, put, del):\n");
    expect(desk.lastCall().frame).toMatchObject({
      method: "KV/Txn",
      body: { compare: [{ key: "k", value: "1" }], success: [{ requestPut: { key: "k", value: "2" } }], failure: [] },
    });
  });
});
