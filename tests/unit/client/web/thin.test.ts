// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import { thin } from "@viewer/view/thin";

const seven = {
  body: "water", field: Field.POSITION, count: 7, components: 3, origin: [1, 2, 3], step: [0.5, 0.5, 0.5],
  words: Uint16Array.from({ length: 21 }, (_, i) => i),
};

test("takes every third row, and what the integers mean stays", () => {
  const few = thin(seven, 3);
  expect([...few.words]).toEqual([0, 1, 2, 9, 10, 11, 18, 19, 20]);
  expect(few.count).toBe(3);
  expect(few.origin).toBe(seven.origin);
  expect(few.step).toBe(seven.step);
});

test("takes the array itself, without a copy, when nothing is left out", () => {
  expect(thin(seven, 1)).toBe(seven);
});

test("an array without rows stays one", () => {
  expect(thin({ ...seven, count: 0, words: new Uint16Array() }, 4)).toMatchObject({ count: 0 });
});
