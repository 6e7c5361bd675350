/** How `cjson` reads and writes: its defaults, and what a script may set. */

export interface JsonSettings {
  sparseConvert: boolean;
  sparseRatio: number;
  sparseSafe: number;
  encodeDepth: number;
  decodeDepth: number;
  precision: number;
  keepBuffer: boolean;
  encodeInvalid: "off" | "on" | "null";
  decodeInvalid: "off" | "on";
}

export function jsonSettings(): JsonSettings {
  return {
    sparseConvert: false,
    sparseRatio: 2,
    sparseSafe: 10,
    encodeDepth: 1_000,
    decodeDepth: 1_000,
    precision: 14,
    keepBuffer: true,
    encodeInvalid: "off",
    decodeInvalid: "on",
  };
}
