import { describe, expect, it } from "vitest";
import type { ConfChange } from "./conf-change.ts";
import { confChangeProposal, decodeConfChange } from "./conf-change.ts";
import {
  allVoters,
  changeSimply,
  ConfChangeRefused,
  enterJoint,
  leaveJoint,
  membersOf,
  NO_MEMBERS,
} from "./configuration.ts";
import { newProgress } from "./progress.ts";
import { entryBytes } from "./size.ts";
import { accept, appended, conf, follower, leader, log, message, N1, N2, N3, N4, settle } from "./testing.ts";
import { NO_DATA, nodeId, type NodeId } from "./types.ts";

const NO_LIMITS = { maxInflightMessages: Number.POSITIVE_INFINITY, maxInflightBytes: Number.POSITIVE_INFINITY };
const join = (id: NodeId) => newProgress(id, 1, NO_LIMITS);

function change(...steps: ConfChange["steps"]): ConfChange {
  return { transition: "auto", steps, context: new Uint8Array(0) };
}

describe("a change of membership", () => {
  it("thesis §4.1: one at a time: a second one becomes an empty entry until the first is applied", () => {
    const peer = leader();
    peer.step({ type: "propose-conf-change", change: change({ operation: "add-learner", id: N4 }) });
    peer.step({ type: "propose-conf-change", change: change({ operation: "remove", id: N3 }) });
    expect(peer.entry(2)?.type).toBe("conf-change-v2");
    expect(peer.entry(3)?.type).toBe("normal");
  });

  it("etcd: what is left of a refused one writes its type out, and is larger by it than a new leader's empty entry", () => {
    const peer = leader();
    peer.step({ type: "propose-conf-change", change: change() });
    const sizes = [peer.entry(1), peer.entry(2)].map((one) => (one === null ? 0 : entryBytes(one)));
    expect(sizes).toEqual([4, 6]);
  });

  it("thesis §4.1: takes force when it is applied", () => {
    const peer = leader();
    peer.step({ type: "propose-conf-change", change: change({ operation: "add-voter", id: N4 }) });
    settle(peer);
    expect(peer.conf.voters).toEqual([N1, N2, N3]);
    peer.step(message(accept(N2, N1, 1, 2)));
    settle(peer);
    expect(peer.conf.voters).toEqual([N1, N2, N3, N4]);
  });

  it("thesis §4.3: a joint configuration commits only with a majority of each half", () => {
    const peer = leader();
    peer.applyConfChange({
      ...change({ operation: "remove", id: N2 }, { operation: "remove", id: N3 }, { operation: "add-voter", id: N4 }),
      transition: "explicit",
    });
    appended(peer, "a");
    settle(peer);
    peer.step(message(accept(N4, N1, 1, 2)));
    expect(peer.commit).toBe(1);
    peer.step(message(accept(N2, N1, 1, 2)));
    expect(peer.commit).toBe(2);
  });

  it("etcd: leaves a joint configuration by itself when its entry is applied", () => {
    const peer = leader();
    const steps = [
      { operation: "remove", id: N2 },
      { operation: "add-voter", id: N4 },
    ] as const;
    peer.step({ type: "propose-conf-change", change: change(...steps) });
    settle(peer);
    peer.step(message(accept(N2, N1, 1, 2)));
    settle(peer);
    expect(peer.conf).toMatchObject({ votersOutgoing: [N1, N2, N3], autoLeave: true });
    expect(peer.entry(3)).toMatchObject({ type: "conf-change-v2", data: NO_DATA });
  });

  it("etcd: a new leader leaves it only when all that it found in its log is applied", () => {
    const peer = follower({
      limits: { maxCommittedBytesPerReady: 1 },
      restored: {
        conf: conf([N1], { votersOutgoing: [N1], autoLeave: true }),
        entries: log(1, 1),
        hardState: { term: 1, vote: null, commit: 0 },
      },
    });
    peer.step({ type: "campaign" });
    for (let i = 0; i < 2; i += 1) {
      const persist = peer.ready()?.persist;
      if (persist) peer.advance({ type: "persisted", ...persist });
    }
    const first = peer.ready()?.apply ?? [];
    peer.advance({ type: "applied", entries: first });
    expect([first.length, peer.applied, peer.lastIndex]).toEqual([1, 1, 3]);
    settle(peer);
    expect(peer.entry(4)).toMatchObject({ type: "conf-change-v2", data: NO_DATA });
  });

  it("thesis §4.2.2: a leader that removes itself steps down when it is told to", () => {
    for (const stepDownOnRemoval of [true, false]) {
      const peer = leader({ stepDownOnRemoval });
      peer.applyConfChange(change({ operation: "remove", id: N1 }));
      expect(peer.role).toBe(stepDownOnRemoval ? "follower" : "leader");
    }
  });

  it("thesis §4.2.2: a leader outside the configuration does not count itself, and drops proposals", () => {
    const peer = leader();
    appended(peer, "a");
    settle(peer);
    peer.applyConfChange(change({ operation: "remove", id: N1 }));
    peer.step(message(accept(N2, N1, 1, 2)));
    expect(peer.commit).toBe(1);
    peer.step(message(accept(N3, N1, 1, 2)));
    expect(peer.commit).toBe(2);
    const refused = peer.step({ type: "propose", proposals: [{ type: "normal", data: new Uint8Array(1) }] });
    expect(refused).toMatchObject({ error: "proposal-dropped", why: { rule: "not-a-member" } });
  });

  it("thesis §4.2.1: learners get the log and count for nothing", () => {
    const peer = leader({ restored: { conf: conf([N1, N2, N3], { learners: [N4] }) } });
    appended(peer, "a");
    expect(settle(peer).filter(({ to }) => to === N4)).toHaveLength(1);
    peer.step(message(accept(N4, N1, 1, 2)));
    expect(peer.commit).toBe(1);
  });

  it("etcd: a committed change that is not applied yet keeps its member from standing for election", () => {
    const peer = follower({
      restored: {
        hardState: { term: 1, vote: null, commit: 1 },
        entries: [{ term: 1, index: 1, ...confChangeProposal(change({ operation: "remove", id: N3 })) }],
      },
    });
    peer.step({ type: "campaign" });
    expect(peer.role).toBe("follower");
  });

  it("§7: a snapshot brings its membership", () => {
    const peer = follower({ restored: { conf: conf([]) } });
    const snapshot = { last: { term: 1, index: 9 }, conf: conf([N1, N2]), data: new Uint8Array(0) };
    peer.step(message({ type: "InstallSnapshot", from: N2, to: N1, term: 1, snapshot }));
    expect(peer.conf.voters).toEqual([N1, N2]);
    const ready = peer.ready();
    expect(ready?.persist).toMatchObject({ snapshot, then: [{ index: 9 }] });
    expect(peer.applied).toBe(0);
    if (ready?.persist) peer.advance({ type: "persisted", ...ready.persist });
    expect(peer.applied).toBe(9);
  });

  it("§7: a snapshot that overtakes another one waits for its own write", () => {
    const peer = follower();
    const install = (index: number) => {
      const snapshot = { last: { term: 1, index }, conf: conf([N1, N2]), data: NO_DATA };
      peer.step(message({ type: "InstallSnapshot", from: N2, to: N1, term: 1, snapshot }));
      return peer.ready()?.persist;
    };
    const [first, second] = [install(5), install(9)];
    if (first) peer.advance({ type: "persisted", ...first });
    expect([peer.applied, peer.ticksUntilDue()]).toEqual([5, Number.POSITIVE_INFINITY]);
    if (second) peer.advance({ type: "persisted", ...second });
    expect([peer.applied, peer.ticksUntilDue()]).toEqual([9, 10]);
  });

  it("§7: a snapshot that is older than the commit changes nothing", () => {
    const peer = leader();
    const { term } = peer;
    const snapshot = { last: { term: 1, index: 1 }, conf: conf([N1, N2]), data: new Uint8Array(0) };
    peer.step(message({ type: "InstallSnapshot", from: N2, to: N1, term: term + 1, snapshot }));
    expect(peer.conf.voters).toEqual([N1, N2, N3]);
    expect(peer.lastIndex).toBe(1);
  });
});

describe("the changer", () => {
  it("thesis §4.1: refuses to change more than one voter without a joint configuration", () => {
    const members = changeSimply(NO_MEMBERS, [{ operation: "add-voter", id: N1 }], join);
    const steps = [N2, N3].map((id) => ({ operation: "add-voter", id }) as const);
    expect(() => changeSimply(members, steps, join)).toThrow(ConfChangeRefused);
  });

  it("thesis §4.3: a voter that becomes a learner waits until the joint configuration is left", () => {
    const members = membersOf(conf([N1, N2]), join);
    const joint = enterJoint(members, [{ operation: "add-learner", id: N2 }], false, join);
    expect(joint.conf).toMatchObject({ learners: [], learnersNext: [N2] });
    expect(allVoters(joint.conf)).toEqual([N1, N2]);
    const left = leaveJoint(joint);
    expect(left.conf).toMatchObject({ voters: [N1], learners: [N2], learnersNext: [] });
    expect(left.progress.get(N2)).toBe(members.progress.get(N2));
  });

  it("etcd: restores what a snapshot names, joint or not", () => {
    for (const saved of [
      conf([N1, N2], { learners: [N3] }),
      conf([N1, N4], { votersOutgoing: [N1, N2, N3], learnersNext: [N3], autoLeave: true }),
    ])
      expect(membersOf(saved, join).conf).toEqual(saved);
  });
});

describe("the bytes of a change", () => {
  it("give back what was put in, for hexadecimal ids and any other", () => {
    const ids = ["1", "ff", "8e9e05c52164694d", "n1", "0f", "Ünïque"].map(nodeId);
    for (const transition of ["auto", "implicit", "explicit"] as const)
      for (const context of [new Uint8Array(0), Uint8Array.of(1, 2, 3)]) {
        const all: ConfChange = {
          transition,
          steps: ids.map((id, i) => ({
            operation: (["add-voter", "remove", "update", "add-learner"] as const)[i % 4] ?? "update",
            id,
          })),
          context,
        };
        const { type, data } = confChangeProposal(all);
        expect(decodeConfChange(type, data)).toEqual(all);
      }
    const old = confChangeProposal(change({ operation: "remove", id: N3 }), "conf-change");
    expect(decodeConfChange(old.type, old.data)).toEqual(change({ operation: "remove", id: N3 }));
  });

  it("have the size that etcd's have", () => {
    expect(confChangeProposal(change({ operation: "add-voter", id: N3 })).data).toEqual(
      Uint8Array.of(8, 0, 18, 4, 8, 0, 16, 3),
    );
    expect(confChangeProposal(change({ operation: "remove", id: N3 }), "conf-change").data).toEqual(
      Uint8Array.of(16, 1, 24, 3),
    );
  });
});
