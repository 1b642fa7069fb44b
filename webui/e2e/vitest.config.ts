import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    dir: "e2e",
    include: ["**/*.e2e.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // One server and one browser for all: the flows come one after the other.
    fileParallelism: false,
  },
});
