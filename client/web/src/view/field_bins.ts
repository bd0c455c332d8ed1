// SPDX-License-Identifier: Apache-2.0
import type { DecodedArray } from "@viewer/stream/decoded_frame";
import { rowValue } from "./value_range";

/** A plane that the 2D view looks at, by its horizontal and vertical axis. */
export type Plane = "xy" | "xz" | "yz";

export const planes: readonly Plane[] = ["xz", "xy", "yz"];

/** The axes (0 to 2) of a plane: to the right, up, and the one looked along. */
export function axesOf(plane: Plane): readonly [number, number, number] {
  return plane === "xy" ? [0, 1, 2] : plane === "xz" ? [0, 2, 1] : [1, 2, 0];
}

/** Stands in a bin that no particle is in. */
export const emptyBin = -1e38;

/** A picture of a field: the weighted mean over the particles that lie behind each pixel. */
export interface FieldBins {
  readonly width: number;
  readonly height: number;
  /** Row by row from the lower left. */
  readonly values: Float32Array;
}

export interface BinGrid {
  readonly plane: Plane;
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** Edge of a pixel in metres. */
  readonly cell: number;
  /** Pixels that a particle reaches to each side, its weight falling to 0 there: 0 counts it where it is alone. */
  readonly reach: number;
}

const mostBinsAnAxis = 1024;

/** Means of `values` (or sums of weights, without) over the particles of each bin of the plane. */
export function binField(positions: DecodedArray, values: DecodedArray | undefined, grid: BinGrid): FieldBins {
  const [right, up] = axesOf(grid.plane);
  const low = [grid.lower[right] ?? 0, grid.lower[up] ?? 0] as const;
  const size = [(grid.upper[right] ?? 1) - low[0], (grid.upper[up] ?? 1) - low[1]] as const;
  const width = Math.min(mostBinsAnAxis, Math.max(1, Math.ceil(size[0] / grid.cell)));
  const height = Math.min(mostBinsAnAxis, Math.max(1, Math.ceil(size[1] / grid.cell)));
  const sums = new Float32Array(width * height);
  const weights = new Float32Array(width * height);
  const { words, components, origin, step } = positions;
  const place = (axis: number, from: number, length: number, bins: number): readonly [number, number] =>
    [(((origin[axis] ?? 0) - from) / length) * bins, ((step[axis] ?? 1) / length) * bins];
  const [x0, dx] = place(right, low[0], size[0], width);
  const [y0, dy] = place(up, low[1], size[1], height);
  const { reach } = grid;
  for (let row = 0, at = 0; row < positions.count; ++row, at += components) {
    const x = x0 + dx * (words[at + right] ?? 0);
    const y = y0 + dy * (words[at + up] ?? 0);
    if (!(x >= 0 && y >= 0 && x < width && y < height)) continue;
    const value = values === undefined ? 0 : rowValue(values, row);
    const lastJ = Math.min(height - 1, Math.floor(y + reach));
    const lastI = Math.min(width - 1, Math.floor(x + reach));
    for (let j = Math.max(0, Math.floor(y - reach)); j <= lastJ; ++j) {
      for (let i = Math.max(0, Math.floor(x - reach)); i <= lastI; ++i) {
        const far = reach === 0 ? 0 : Math.max(Math.abs(i + 0.5 - x), Math.abs(j + 0.5 - y)) / reach;
        if (far >= 1) continue;
        const bin = j * width + i;
        weights[bin] = (weights[bin] ?? 0) + 1 - far;
        sums[bin] = (sums[bin] ?? 0) + (1 - far) * value;
      }
    }
  }
  const result = new Float32Array(width * height);
  for (let bin = 0; bin < result.length; ++bin) {
    const weight = weights[bin] ?? 0;
    result[bin] = weight === 0 ? emptyBin : values === undefined ? weight : (sums[bin] ?? 0) / weight;
  }
  return { width, height, values: result };
}

/** The value at (u, v), shares of width and height from the lower left; nothing beside the picture and where no particle is. */
export function valueAt({ width, height, values }: FieldBins, u: number, v: number): number | undefined {
  if (!(u >= 0 && u < 1 && v >= 0 && v < 1)) return undefined;
  const value = values[Math.floor(v * height) * width + Math.floor(u * width)];
  return value === undefined || value <= emptyBin / 10 ? undefined : value;
}
