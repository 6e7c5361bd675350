import type { StoreCase } from "./store-cases.ts";
export const STORE_MUTANTS: readonly { name: string; file: string; find: string; replace: string; meant: StoreCase }[] =
  [];
