// SPDX-License-Identifier: Apache-2.0
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** The tests stand in tests/, where no node_modules is on their way up: packages that they name are looked for here. */
const packagesFromHere: Plugin = {
  name: "sluice-packages-from-here",
  enforce: "pre",
  resolveId(id, importer) {
    const outside = importer !== undefined && !importer.startsWith(here("."));
    return outside && /^[@a-z]/.test(id) && !id.startsWith("@viewer/")
      ? this.resolve(id, here("package.json"), { skipSelf: true })
      : null;
  },
};

export default defineConfig({
  root: here("../.."),
  cacheDir: here("node_modules/.vite"),
  plugins: [packagesFromHere],
  resolve: { alias: { "@viewer": here("src") } },
  test: { include: ["tests/unit/client/web/**/*.test.ts"], environment: "node" },
});
