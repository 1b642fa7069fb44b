import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    dir: "e2e/measure",
    include: ["**/*.measure.ts"],
    testTimeout: 180_000,
    hookTimeout: 60_000,
    // One after the other: they measure.
    fileParallelism: false,
  },
});
