import { describe, expect, it } from "vitest";
import { ByteReader, ByteWriter } from "../../base/bytes.ts";
import type { NodeId } from "../../raft/types.ts";
import type { MemberId } from "../api/ids.ts";
import { Member } from "../api/messages.ts";
import { create } from "../api/proto.ts";
import { textOf } from "../testing.ts";
import { type ClusterMember, clusterIdOf, decodeChange, encodeChange, memberIdOf, Membership } from "./membership.ts";

const member = (id: number, given: Partial<ClusterMember> = {}): ClusterMember => ({
  ...create(Member, { id: String(id) as MemberId, peerUrls: [`http://n${id}:2380`], ...given }),
  node: `n${id}` as NodeId,
});
const three = () => new Membership([member(1), member(20), member(3)]);
const id = (n: number) => String(n) as MemberId;

describe("what may change", () => {
  it("no id and no URL twice", () => {
    const members = three();
    expect(textOf(members.checkAdd(id(1), ["http://x"], false))).toBe("member ID already exist");
    expect(textOf(members.checkAdd(id(4), ["http://x", "http://n3:2380"], false))).toBe("Peer URLs already exists");
    expect(members.checkAdd(id(4), ["http://x"], false)).toBeNull();
    expect(textOf(members.checkUpdate(id(1), ["http://n3:2380"]))).toBe("Peer URLs already exists");
    expect(members.checkUpdate(id(1), ["http://n1:2380"]), "its own").toBeNull();
  });

  it("an id that was removed never comes back", () => {
    const members = three();
    members.apply({ kind: "remove", member: member(3) });
    expect(textOf(members.checkAdd(id(3), ["http://new"], false))).toBe("member not found");
    expect(textOf(members.checkRemove(id(3)))).toBe("member not found");
  });

  it("one learner at a time; only a learner is promoted", () => {
    const members = three();
    members.apply({ kind: "add", member: member(4, { isLearner: true }) });
    expect(textOf(members.checkAdd(id(5), ["http://x"], true))).toBe("too many learner members in cluster");
    expect(members.checkAdd(id(5), ["http://x"], false)).toBeNull();
    expect(textOf(members.checkPromote(id(1)))).toBe("can only promote a learner member");
    expect(textOf(members.checkPromote(id(9)))).toBe("member not found");
    expect(members.voters().map((voter) => voter.id)).toEqual(["1", "3", "20"]);
    expect(members.apply({ kind: "promote", member: member(4) })).toBeNull();
    expect(members.voters().map((voter) => voter.id)).toEqual(["1", "3", "4", "20"]);
  });

  it("what is checked when asked is checked again when applied", () => {
    const members = three();
    expect(textOf(members.apply({ kind: "add", member: member(1) }))).toBe("member ID already exist");
    expect(textOf(members.apply({ kind: "remove", member: member(9) }))).toBe("member not found");
    expect(members.list()).toHaveLength(3);
  });

  it("a name and client URLs come from the member itself, and stay when its peer URLs change", () => {
    const members = three();
    members.setAttributes(id(1), "one", ["http://n1:2379"]);
    members.apply({ kind: "update", member: member(1, { peerUrls: ["http://other:2380"] }) });
    expect(members.get(id(1))).toMatchObject({
      name: "one",
      clientUrls: ["http://n1:2379"],
      peerUrls: ["http://other:2380"],
    });
    members.setAttributes(id(9), "nobody", []);
    expect(members.get(id(9))).toBeNull();
  });
});

describe("ids", () => {
  it("are listed as numbers are, not as text", () => {
    expect(
      three()
        .list()
        .map((one) => one.id),
    ).toEqual(["1", "3", "20"]);
  });

  it("come of URLs in any order and the cluster's token, sixteen digits, positive when signed", () => {
    const made = memberIdOf(["http://b", "http://a"], "t");
    expect(memberIdOf(["http://a", "http://b"], "t")).toBe(made);
    expect(memberIdOf(["http://a", "http://b"], "u")).not.toBe(made);
    expect(BigInt(made).toString(16)).toMatch(/^[1-7][0-9a-f]{15}$/u);
    expect(clusterIdOf([id(2), id(1)])).toBe(clusterIdOf([id(1), id(2)]));
  });
});

describe("as bytes", () => {
  it("a change comes back as it was", () => {
    const change = { kind: "add", member: member(7, { name: "é", isLearner: true }) } as const;
    expect(decodeChange(encodeChange(change))).toEqual(change);
  });

  it("a snapshot knows members and who was removed, alike whatever the order of coming", () => {
    const bytesOf = (order: readonly number[]): Uint8Array => {
      const members = new Membership(order.map((n) => member(n)));
      members.apply({ kind: "remove", member: member(3) });
      const out = new ByteWriter();
      members.snapshot(out);
      return out.take();
    };
    expect(bytesOf([1, 2, 3])).toEqual(bytesOf([3, 2, 1]));
    const restored = new Membership([]);
    restored.restore(new ByteReader(bytesOf([1, 2, 3])));
    expect(restored.list().map(({ node }) => node)).toEqual(["n1", "n2"]);
    expect(textOf(restored.checkAdd(id(3), [], false))).toBe("member not found");
  });
});
