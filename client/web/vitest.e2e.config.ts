// SPDX-License-Identifier: Apache-2.0
// The viewer in a real browser on a real sluiced: see tests/e2e/viewer.
import { defineConfig } from "vitest/config";
import unit from "./vitest.config";

export default defineConfig({
  ...unit,
  test: {
    include: ["tests/e2e/viewer/**/*.test.ts"],
    environment: "node",
    testTimeout: 120_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
