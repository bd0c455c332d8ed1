// SPDX-License-Identifier: Apache-2.0
// The pictures of the example scenes, small, for the cards that one chooses an example from.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PNG } from "pngjs";
import type { Plugin } from "vite";

/** Pixels across; a card is about 260 wide. */
const width = 320;

/** `png` made smaller by a whole number along each side: the mean of the pixels that fall together. */
export function smaller(png: Buffer): Buffer {
  const large = PNG.sync.read(png);
  const by = Math.max(1, Math.floor(large.width / width));
  const small = new PNG({ width: Math.floor(large.width / by), height: Math.floor(large.height / by) });
  for (let y = 0, to = 0; y < small.height; ++y) {
    for (let x = 0; x < small.width; ++x) {
      for (let c = 0; c < 4; ++c, ++to) {
        let sum = 0;
        for (let j = 0; j < by; ++j) for (let i = 0; i < by; ++i) sum += large.data[((y * by + j) * large.width + x * by + i) * 4 + c] ?? 0;
        small.data[to] = Math.round(sum / by ** 2);
      }
    }
  }
  return PNG.sync.write(small, { colorType: 2, deflateLevel: 9 });
}

/** Puts `examples/NAME.png` beside the page, for each NAME.png in `folder`. `note` hears of every file that is read. */
export function examplePictures(folder: string, note: (file: string) => void): Plugin {
  return {
    name: "sluice-example-pictures",
    generateBundle() {
      for (const name of readdirSync(folder).filter((file) => file.endsWith(".png"))) {
        note(join(folder, name));
        this.emitFile({ type: "asset", fileName: `examples/${name}`, source: smaller(readFileSync(join(folder, name))) });
      }
    },
    configureServer(server) {
      server.middlewares.use("/examples", (request, response, next) => {
        const name = readdirSync(folder).find((file) => request.url === `/${file}` && file.endsWith(".png"));
        if (name === undefined) next();
        else response.setHeader("Content-Type", "image/png").end(readFileSync(join(folder, name)));
      });
    },
  };
}
