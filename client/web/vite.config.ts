// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { relative } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { examplePictures } from "./example_pictures";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const sources = new Set<string>();

/** Takes note of the files that a bundle is made of: the page's, or a worker's, which is a bundle of its own. */
function noteSources(): Plugin {
  return {
    name: "sluice-note-sources",
    apply: "build",
    moduleParsed({ id }) {
      const file = id.replace(/\?.*$/, "").replace(/^\0/, "");
      if (file.startsWith("/") && !/^(node_modules|src\/gen)\//.test(relative(here("."), file))) sources.add(file);
    },
  };
}

/** Tells CMake what the build read, so that it builds again when one of these files changes (SLUICE_DEPFILE names it). */
function depfile(): Plugin {
  const path = process.env["SLUICE_DEPFILE"];
  const target = process.env["SLUICE_DEPFILE_TARGET"] ?? "index.html";
  return {
    name: "sluice-depfile",
    apply: "build",
    closeBundle() {
      if (path === undefined) return;
      const escaped = [...sources].map((file) => file.replaceAll(" ", "\\ "));
      writeFileSync(path, `${target}: ${escaped.join(" \\\n  ")}\n`);
    },
  };
}

/** Lets the browser fetch the session page's code along with the page, which asks for it only when it has run. */
function preloadSessionPage(): Plugin {
  return {
    name: "sluice-preload",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (_, { bundle = {} }) =>
        Object.values(bundle)
          .filter((chunk) => chunk.type === "chunk" && chunk.facadeModuleId === here("src/desk/session_page.tsx"))
          .map(({ fileName }) => ({ tag: "link", attrs: { rel: "modulepreload", crossorigin: true, href: `/${fileName}` }, injectTo: "head" as const })),
    },
  };
}

/** Where `npm run dev` finds a running sluiced. */
const server = process.env["SLUICE_SERVER"] ?? "http://127.0.0.1:7781";

export default defineConfig({
  root: here("."),
  plugins: [noteSources(), examplePictures(here("../scenes"), (file) => sources.add(file)), depfile(), preloadSessionPage()],
  resolve: { alias: { "@viewer": here("src") } },
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: { target: "es2022", emptyOutDir: true, sourcemap: false, chunkSizeWarningLimit: 900 },
  worker: { format: "es", plugins: () => [noteSources()] },
  server: { host: "127.0.0.1", port: 5173, proxy: { "/sluice.v1.": server, "/healthz": server, "/calls": { target: server, ws: true } } },
});
