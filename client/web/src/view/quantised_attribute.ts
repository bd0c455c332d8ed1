// SPDX-License-Identifier: Apache-2.0
import { BufferAttribute, DynamicDrawUsage, type BufferGeometry } from "three";
import type { DecodedArray } from "@viewer/stream/decoded_frame";

/**
 * Puts an array into a geometry as it came; the shader dequantises it. The GPU's buffer is kept while the shape stands. Integers
 * of more than 16 bits have at most 24, and become floats, for integers of 32 bits are no floats to a shader.
 */
export function setAttribute(geometry: BufferGeometry, name: string, array: DecodedArray): void {
  const old = geometry.getAttribute(name) as BufferAttribute | undefined;
  const { components } = array;
  const words = array.words instanceof Uint32Array ? Float32Array.from(array.words) : array.words;
  const fits = old?.array.constructor === words.constructor && old.array.length === words.length && old.itemSize === components;
  if (old !== undefined && fits) {
    old.array = words;
    old.needsUpdate = true;
    return;
  }
  const attribute = new BufferAttribute(words, components, false);
  attribute.setUsage(DynamicDrawUsage);
  geometry.setAttribute(name, attribute);
}

/** `values` padded to three numbers. */
export function triple(values: readonly number[], rest: number): [number, number, number] {
  return [values[0] ?? rest, values[1] ?? rest, values[2] ?? rest];
}
