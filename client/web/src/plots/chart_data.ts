// SPDX-License-Identifier: Apache-2.0

/** A line of a chart. */
export interface Series {
  readonly label: string;
  /** 1 to 6: the theme's colours for lines. */
  readonly colour: number;
  /** One value a time; what is not finite leaves a gap. */
  readonly values: readonly number[];
}

export interface ChartScale {
  readonly x: (time: number) => number;
  readonly y: (value: number) => number;
  /** Where 0 is, if in sight. */
  readonly zero: number | undefined;
  /** Three values across the height: the least, the middle and the most. */
  readonly ticks: readonly number[];
}

/** Where things are in a chart: all times across, all values and (on a linear scale) 0 in sight. */
export function chartScale(
  times: readonly number[], series: readonly Series[], logarithmic: boolean,
  size: { readonly width: number; readonly height: number; readonly inset: number },
): ChartScale {
  const scale = (value: number): number => (logarithmic ? (value > 0 ? Math.log10(value) : Number.NaN) : value);
  let least = logarithmic ? Infinity : 0;
  let most = logarithmic ? -Infinity : 0;
  for (const { values } of series) {
    for (const value of values) {
      const scaled = scale(value);
      if (!Number.isFinite(scaled)) continue;
      least = Math.min(least, scaled);
      most = Math.max(most, scaled);
    }
  }
  const first = times[0] ?? 0;
  const length = (times[times.length - 1] ?? 1) - first || 1;
  const extent = most - least || 1;
  const { width, height, inset } = size;
  const y = (value: number): number => height - inset - ((scale(value) - least) / extent) * (height - 2 * inset);
  const tick = (share: number): number => (logarithmic ? 10 ** (least + share * extent) : least + share * extent);
  return {
    x: (time) => inset + ((time - first) / length) * (width - 2 * inset), y, zero: logarithmic ? undefined : y(0),
    ticks: Number.isFinite(extent) ? [0, 0.5, 1].map(tick) : [],
  };
}

/** At most about `most` of the indices 0 to `count` - 1, evenly, the last one included. */
export function decimate(count: number, most: number): number[] {
  const stride = Math.max(1, Math.ceil(count / Math.max(1, most)));
  const indices: number[] = [];
  for (let i = 0; i < count; i += stride) indices.push(i);
  if (count > 0 && indices[indices.length - 1] !== count - 1) indices.push(count - 1);
  return indices;
}

/** Index of the value in rising `values` nearest to `value`; 0 for none. */
export function nearestIndex(values: readonly number[], value: number): number {
  let low = 0;
  let high = values.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  const before = values[low - 1];
  const here = values[low];
  return before !== undefined && here !== undefined && value - before < here - value ? low - 1 : Math.max(0, low);
}
