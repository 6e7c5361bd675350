import { describe, expect, it } from "vitest";
import { appendOnly, copyOf } from "../base/append-only.ts";
import { ListReceiver, ListSender, withWholeLists } from "./lists.ts";

interface Kept {
  readonly name: string;
  readonly parts: readonly { readonly list: ReturnType<typeof appendOnly<number>>; readonly bytes: Uint8Array }[];
}

/** What two threads do: what is posted is a copy. */
function road() {
  const sender = new ListSender();
  const receiver = new ListReceiver();
  const posted: number[] = [];
  return {
    posted,
    send: (...lists: readonly (readonly number[])[]): number[][] => {
      const parts = lists.map((list) => ({ list: appendOnly(list), bytes: Uint8Array.of(lists.length) }));
      const abridged = structuredClone(sender.abridge({ name: "n1", parts } satisfies Kept));
      posted.push(JSON.stringify(abridged).length);
      const kept = receiver.complete(abridged) as Kept;
      expect(kept.name).toBe("n1");
      return kept.parts.map(({ list, bytes }) => {
        expect(bytes).toEqual(Uint8Array.of(lists.length));
        return copyOf(list);
      });
    },
    receiver,
    sender,
  };
}

describe("lists on their way between threads", () => {
  it("come whole at first, and then only what is new", () => {
    const { send, posted } = road();
    const list = Array.from({ length: 1_000 }, (_, i) => i);
    expect(send(list)).toEqual([list]);
    list.push(1_000);
    expect(send(list)).toEqual([list]);
    expect(posted[1]).toBeLessThan((posted[0] ?? 0) / 10);
  });

  it("come whole again when another array has taken their place", () => {
    const { send } = road();
    const list = [1, 2, 3];
    send(list);
    expect(send([1, 9])).toEqual([[1, 9]]);
    expect(send(list)).toEqual([list]);
  });

  it("are told apart by their order", () => {
    const { send } = road();
    const [a, b] = [[1], [2, 3]];
    send(a, b);
    a.push(10);
    b.push(20);
    expect(send(a, b)).toEqual([
      [1, 10],
      [2, 3, 20],
    ]);
    expect(send(b)).toEqual([[2, 3, 20]]);
    expect(send(a, b)).toEqual([a, b]);
  });

  it("an earlier checkpoint keeps what it had, though the list goes on", () => {
    const { sender, receiver } = road();
    const list = [1, 2];
    const post = () => receiver.complete(structuredClone(sender.abridge({ list: appendOnly(list) })));
    const early = post() as { readonly list: ReturnType<typeof appendOnly<number>> };
    list.push(3);
    post();
    expect(copyOf(early.list)).toEqual([1, 2]);
    expect(withWholeLists(early)).toEqual({ list: { appendOnly: [1, 2], length: 2 } });
  });

  it("what else can be posted is left as it is", () => {
    const other = { map: new Map([[1, new Set(["a"])]]), bytes: Uint8Array.of(7), none: null };
    const { sender, receiver } = road();
    expect(receiver.complete(structuredClone(sender.abridge(other)))).toEqual(other);
    expect(withWholeLists(other)).toEqual(other);
  });

  it("what does not follow on what was sent is not taken", () => {
    const { sender, receiver } = road();
    const list = [1];
    sender.abridge({ list: appendOnly(list) });
    list.push(2);
    expect(() => receiver.complete(sender.abridge({ list: appendOnly(list) }))).toThrow(/where it was left/);
  });
});
