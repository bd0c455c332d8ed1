// SPDX-License-Identifier: Apache-2.0
import type { DecodedArray } from "@viewer/stream/decoded_frame";
import { axesOf, type Plane } from "./field_bins";
import type { Lattice } from "./lattice";

/** A field of cells as one looks at a plane: of each pixel the mean over the cells that lie behind it. */
export interface CellSlice {
  readonly width: number;
  readonly height: number;
  /** A row of it is a pixel: row by row of the picture, from the lower left. */
  readonly means: Omit<DecodedArray, "words"> & { readonly words: Float32Array };
}

/** The means along the plane's axis; where there is one layer of cells, they are the cells' own values. */
export function meanAlong(array: DecodedArray, { counts }: Lattice, plane: Plane): CellSlice {
  const { words, components, origin, step } = array;
  const [right, up, along] = axesOf(plane);
  const strides = [components, components * counts[0], components * counts[0] * counts[1]] as const;
  const stride = (axis: number): number => strides[axis] ?? 0;
  const count = (axis: number): number => counts[axis] ?? 1;
  const [width, height, depth] = [count(right), count(up), count(along)];
  const [toRight, toUp, toBack] = [stride(right), stride(up), stride(along)];
  const values = new Float32Array(width * height * components);
  for (let j = 0, pixel = 0; j < height; ++j) {
    for (let i = 0; i < width; ++i) {
      for (let c = 0; c < components; ++c, ++pixel) {
        let sum = 0;
        for (let k = 0, at = i * toRight + j * toUp + c; k < depth; ++k, at += toBack) sum += words[at] ?? 0;
        values[pixel] = (origin[c] ?? 0) + ((step[c] ?? 1) * sum) / depth;
      }
    }
  }
  const plain = { origin: Array<number>(components).fill(0), step: Array<number>(components).fill(1) };
  return { width, height, means: { ...array, ...plain, count: width * height, words: values } };
}

/** The numbers at (u, v), shares of width and height from the lower left; nothing beside the picture. */
export function sliceAt({ width, height, means }: CellSlice, u: number, v: number): readonly number[] | undefined {
  if (!(u >= 0 && u < 1 && v >= 0 && v < 1)) return undefined;
  const pixel = Math.floor(v * height) * width + Math.floor(u * width);
  return Array.from(means.words.subarray(pixel * means.components, (pixel + 1) * means.components));
}
