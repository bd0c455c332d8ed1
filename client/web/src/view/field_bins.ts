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

/** A picture of a field: the mean over the particles that lie behind each pixel. */
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
}

const mostBinsAnAxis = 1024;

/** Means of `values` (or counts, without) over the particles of each bin of the plane. */
export function binField(positions: DecodedArray, values: DecodedArray | undefined, grid: BinGrid): FieldBins {
  const [right, up] = axesOf(grid.plane);
  const low = [grid.lower[right] ?? 0, grid.lower[up] ?? 0] as const;
  const size = [(grid.upper[right] ?? 1) - low[0], (grid.upper[up] ?? 1) - low[1]] as const;
  const width = Math.min(mostBinsAnAxis, Math.max(1, Math.ceil(size[0] / grid.cell)));
  const height = Math.min(mostBinsAnAxis, Math.max(1, Math.ceil(size[1] / grid.cell)));
  const sums = new Float32Array(width * height);
  const counts = new Uint32Array(width * height);
  const { words, components, origin, step } = positions;
  const place = (axis: number, from: number, length: number, bins: number): readonly [number, number] =>
    [(((origin[axis] ?? 0) - from) / length) * bins, ((step[axis] ?? 1) / length) * bins];
  const [x0, dx] = place(right, low[0], size[0], width);
  const [y0, dy] = place(up, low[1], size[1], height);
  for (let row = 0, at = 0; row < positions.count; ++row, at += components) {
    const i = Math.floor(x0 + dx * (words[at + right] ?? 0));
    const j = Math.floor(y0 + dy * (words[at + up] ?? 0));
    if (i < 0 || j < 0 || i >= width || j >= height) continue;
    const bin = j * width + i;
    counts[bin] = (counts[bin] ?? 0) + 1;
    if (values !== undefined) sums[bin] = (sums[bin] ?? 0) + rowValue(values, row);
  }
  const result = new Float32Array(width * height);
  for (let bin = 0; bin < result.length; ++bin) {
    const count = counts[bin] ?? 0;
    result[bin] = count === 0 ? emptyBin : values === undefined ? count : (sums[bin] ?? 0) / count;
  }
  return { width, height, values: result };
}
