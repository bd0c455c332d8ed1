// SPDX-License-Identifier: Apache-2.0
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import { arrayOf, type DecodedArray, type DecodedFrame } from "./decoded_frame";

/** Bits of quantised numbers that the server takes, and those that it takes unasked. */
const mostBits = 24;
export const usualBits = 16;
/** Steps of the quantisation that a body is across at the least, so that its shape is to be seen. */
const leastSteps = 400;

/**
 * Bits a number with which each of these bodies has a shape: positions are quantised in the box of the whole domain, of which an
 * insect in a hall is less than a step. Never fewer than `bits`, with which the frame came.
 */
export function neededBits(frame: DecodedFrame, bodies: readonly string[], bits: number): number {
  let needed = bits;
  for (const name of bodies) {
    const positions = arrayOf(frame, name, Field.POSITION);
    if (positions === undefined || positions.words instanceof Float32Array || positions.count < 2) continue;
    // Nobody knows how small a body within one step is: it counts as half a step.
    needed = Math.max(needed, bits + Math.ceil(Math.log2(leastSteps / Math.max(stepsAcross(positions), 0.5))));
  }
  return Math.min(needed, mostBits);
}

/** Along the axis on which most of them are. */
function stepsAcross({ words, components }: DecodedArray): number {
  let most = 0;
  for (let c = 0; c < components; ++c) {
    let [low, high] = [Infinity, -Infinity];
    for (let i = c; i < words.length; i += components) {
      const q = words[i] ?? 0;
      if (q < low) low = q;
      if (q > high) high = q;
    }
    most = Math.max(most, high - low);
  }
  return most;
}
