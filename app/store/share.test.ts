import * as fc from "fast-check";
import { expect, it } from "vitest";
import { share } from "./share.ts";

it("what equals its counterpart is the counterpart, at any depth", () => {
  const before = { a: { x: [1, 2, { y: 3 }] }, b: { z: 1 } };
  const after = share(before, structuredClone({ ...before, b: { z: 2 } }));
  expect(after).not.toBe(before);
  expect(after.a).toBe(before.a);
  expect(after.b).toStrictEqual({ z: 2 });
});

it("tells a missing key from an undefined one, and a list from an object", () => {
  const before: unknown = { a: undefined };
  expect(share(before, { b: undefined })).toStrictEqual({ b: undefined });
  expect(share([], {})).toStrictEqual({});
  expect(share({}, [])).toStrictEqual([]);
  expect(share(null, {})).toStrictEqual({});
});

it("never changes what is said: the answer equals `after`, whatever was before", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
      expect(share(before, after)).toStrictEqual(after);
      expect(share(before, structuredClone(before))).toBe(before);
    }),
  );
});
