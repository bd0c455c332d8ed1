// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import type { DecodedFrame } from "@viewer/stream/decoded_frame";
import { neededBits } from "@viewer/stream/fineness";

function frame(words: Uint16Array | Float32Array): DecodedFrame {
  const positions = { body: "ball", field: Field.POSITION, count: words.length / 3, components: 3, words, origin: [0, 0, 0], step: [1, 1, 1] };
  return { cursor: { epoch: 0, index: 0 }, timeSeconds: 0, arrays: [positions], figures: undefined, obstacleOffsets: {}, wireByteCount: 0 };
}

test("a body that the numbers give a shape needs no finer ones", () => {
  expect(neededBits(frame(Uint16Array.of(0, 0, 0, 400, 9, 9)), ["ball"], 16)).toBe(16);
  expect(neededBits(frame(Float32Array.of(0, 0, 0, 1e-6, 0, 0)), ["ball"], 16)).toBe(16);
  expect(neededBits(frame(Uint16Array.of(0, 0, 0, 2, 2, 2)), ["another"], 16)).toBe(16);
});

test("a body of a few steps needs so many more bits that it is 400 across, or all there are", () => {
  expect(neededBits(frame(Uint16Array.of(5, 5, 5, 55, 7, 7)), ["ball"], 16)).toBe(19); // 50 steps, times 8.
  expect(neededBits(frame(Uint16Array.of(5, 5, 5, 5, 5, 5)), ["ball"], 16)).toBe(24);
});
