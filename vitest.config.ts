import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["engine/**/*.test.ts", "app/**/*.test.{ts,tsx}", ".ci/*.test.mjs"],
    environment: "node",
    testTimeout: 60_000,
  },
});
