// SPDX-License-Identifier: Apache-2.0
import type { DecodedArray } from "@viewer/stream/decoded_frame";

/**
 * Every `every`-th row, from the first on. Quantised rows lie along a space-filling curve, so that those left out are spread
 * evenly; exact ones come in the solver's order, and may show a pattern.
 */
export function thin(array: DecodedArray, every: number): DecodedArray {
  if (every === 1) return array;
  const { components } = array;
  const count = Math.ceil(array.count / every);
  const words = array.words.slice(0, count * components);
  for (let row = 0; row < count; ++row)
    for (let c = 0; c < components; ++c) words[row * components + c] = array.words[row * every * components + c] ?? 0;
  return { ...array, count, words };
}
