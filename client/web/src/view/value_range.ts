// SPDX-License-Identifier: Apache-2.0
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import type { DecodedArray } from "@viewer/stream/decoded_frame";

export interface ValueRange {
  readonly least: number;
  readonly most: number;
}

/** Rows looked at for the range: enough for its percentiles, few enough for every frame. */
const sampleCount = 20_000;

/** The value of a row: the number itself, or the length of a vector. */
export function rowValue(array: DecodedArray, row: number): number {
  const { words, components, origin, step } = array;
  const at = (c: number): number => (origin[c] ?? 0) + (step[c] ?? 1) * (words[row * components + c] ?? 0);
  if (components === 1) return at(0);
  let sum = 0;
  for (let c = 0; c < components; ++c) sum += at(c) ** 2;
  return Math.sqrt(sum);
}

/** These have the values that their sources gave them, often in few cells: no outliers, but what is to be seen. */
const carried: readonly Field[] = [Field.SMOKE, Field.TEMPERATURE];

/** Ranges are at least so wide, in the field's unit: less is not to be seen, as smoke that has faded, or noise. */
const leastWidth: Partial<Record<Field, number>> = { [Field.SMOKE]: 0.01, [Field.TEMPERATURE]: 1 };

/**
 * The range from the 1st to the 99th percentile: single outliers do not wash the picture out. For smoke and heat it goes from
 * the least to the most. Nothing for an empty array.
 */
export function rangeOf(array: DecodedArray): ValueRange | undefined {
  const range = carried.includes(array.field) ? extremesOf(array) : percentilesOf(array);
  return range && { least: range.least, most: Math.max(range.most, range.least + (leastWidth[array.field] ?? 0)) };
}

function extremesOf(array: DecodedArray): ValueRange | undefined {
  let least = Infinity;
  let most = -Infinity;
  for (let row = 0; row < array.count; ++row) {
    const value = rowValue(array, row);
    if (value < least) least = value;
    if (value > most && value < Infinity) most = value;
  }
  return least <= most ? { least, most } : undefined;
}

function percentilesOf(array: DecodedArray): ValueRange | undefined {
  const stride = Math.max(1, Math.floor(array.count / sampleCount));
  const values: number[] = [];
  for (let row = 0; row < array.count; row += stride) {
    const value = rowValue(array, row);
    if (Number.isFinite(value)) values.push(value);
  }
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number): number => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  return { least: at(0.01), most: at(0.99) };
}

/**
 * The automatic range: grows at once with what it sees and shrinks slowly, so that colours do not flicker. Values that are
 * never negative start at 0, unless that means nothing, as for temperatures.
 */
export function followRange(before: ValueRange | undefined, now: ValueRange, field?: Field): ValueRange {
  const least = now.least >= 0 && field !== Field.TEMPERATURE ? 0 : now.least;
  if (before === undefined) return { least, most: Math.max(now.most, least + 1e-9) };
  const shrink = 0.02;
  return {
    least: least < before.least ? least : before.least + (least - before.least) * shrink,
    most: now.most > before.most ? now.most : before.most + (now.most - before.most) * shrink,
  };
}
