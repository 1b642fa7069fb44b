import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    dir: "e2e",
    include: ["**/*.e2e.ts"],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    // What fails is tried once more, and the output says so: a machine that stalls for
    // seconds can break any flow, a fault of the page breaks it twice.
    retry: 1,
    // A machine at work on other things is slow, not broken.
    expect: { poll: { timeout: 15_000 } },
    // One server and one browser for all: the flows come one after the other.
    fileParallelism: false,
  },
});
