import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { sha256 } from "./sha256.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

it("gives what the standard's examples give", () => {
  expect(hex(sha256(Buffer.from("abc")))).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

it("agrees with Node's over every length around a block, and over a long message", () => {
  for (const length of [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 100_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31) & 255);
    expect(hex(sha256(bytes))).toBe(createHash("sha256").update(bytes).digest("hex"));
  }
});
