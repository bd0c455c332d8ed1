// SPDX-License-Identifier: Apache-2.0
import type { CellSlice } from "./cell_slice";
import { colourRow, type ColourMapName } from "./colour_maps";
import type { ValueRange } from "./value_range";

/** Linear, each in [0, 1]. */
export interface LinearColour {
  readonly r: number;
  readonly g: number;
  readonly b: number;
}

/** A byte of sRGB for each of so many equal steps of linear light: at the dark end less than one byte from step to step. */
const lightSteps = 4096;
const srgbBytes = Uint8Array.from({ length: lightSteps + 1 }, (_, i) => {
  const light = i / lightSteps;
  return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
});

/** Linear light, clamped to [0, 1], as a byte of sRGB. */
export function srgbByte(light: number): number {
  return srgbBytes[Math.round(Math.min(Math.max(light, 0), 1) * lightSteps)] ?? 0;
}

/** The first number of each pixel by a colour map, as sRGB bytes RGBA. */
export function mapPixels({ width, height, means }: CellSlice, map: ColourMapName, range: ValueRange): Uint8Array {
  const colours = colourRow(map, 256);
  const perUnit = 255 / Math.max(range.most - range.least, 1e-12);
  const { words, components } = means;
  const bytes = new Uint8Array(width * height * 4);
  for (let pixel = 0; pixel < width * height; ++pixel) {
    const t = ((words[pixel * components] ?? 0) - range.least) * perUnit;
    const from = 4 * Math.round(Math.min(Math.max(t || 0, 0), 255));
    for (let c = 0; c < 4; ++c) bytes[pixel * 4 + c] = colours[from + c] ?? 0;
  }
  return bytes;
}

/**
 * Dye, three numbers a pixel, as sRGB bytes RGBA. Where there is less of it than 1 the backdrop shows through; more of it than 1
 * keeps its hue.
 */
export function dyePixels({ width, height, means }: CellSlice, backdrop: LinearColour): Uint8Array {
  const { words } = means;
  const bytes = new Uint8Array(width * height * 4);
  for (let at = 0, to = 0; to < bytes.length; at += 3, to += 4) {
    const r = words[at] ?? 0;
    const g = words[at + 1] ?? 0;
    const b = words[at + 2] ?? 0;
    const most = Math.max(r, g, b);
    const share = 1 / Math.max(1, most);
    const bare = 1 - Math.min(1, most);
    bytes[to] = srgbByte(r * share + bare * backdrop.r);
    bytes[to + 1] = srgbByte(g * share + bare * backdrop.g);
    bytes[to + 2] = srgbByte(b * share + bare * backdrop.b);
    bytes[to + 3] = 255;
  }
  return bytes;
}
