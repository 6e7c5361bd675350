import type { Benchmark } from "./benchmark.ts";
export function pageBenchmarks(_long: boolean): readonly Benchmark[] { return []; }
