// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { ago, plainNumber } from "@viewer/words/numbers";
import { chartScale, decimate, nearestIndex } from "@viewer/plots/chart_data";

const size = { width: 106, height: 56, inset: 3 };

describe("a chart", () => {
  test("spans its times and its values, and 0", () => {
    const { x, y, zero } = chartScale([1, 2], [{ label: "", colour: 1, values: [5, 10] }], false, size);
    expect([x(1), x(2)]).toEqual([3, 103]);
    expect([y(10), y(0), zero]).toEqual([3, 53, 53]);
  });

  test("on a logarithmic scale leaves gaps for what has no logarithm", () => {
    const { y, zero } = chartScale([0, 1, 2], [{ label: "", colour: 1, values: [0.01, 1, Infinity] }], true, size);
    expect([y(0.01), y(1), zero]).toEqual([53, 3, undefined]);
    expect(y(0)).toBeNaN();
  });

  test("draws no more points than it has room for, and the last one", () => {
    const points = decimate(1001, 100);
    expect(points.length).toBeLessThan(103);
    expect(points[points.length - 1]).toBe(1000);
    expect(decimate(0, 10)).toEqual([]);
  });

  test("finds the time that is pointed at", () => {
    expect([0, 0.9, 1.1, 2.6, 99].map((t) => nearestIndex([0, 1, 2, 3], t))).toEqual([0, 1, 1, 3, 3]);
    expect(nearestIndex([], 1)).toBe(0);
  });
});

test.each([[0, "0"], [1234.5, "1230"], [0.00012, "1.20e-4"], [9.81, "9.81"], [Infinity, "–"], [12_345, "12,300"]])("%d reads %s", (x, words) => {
  expect(plainNumber(x)).toBe(words);
});

test.each([[5, "just now"], [61, "1 min ago"], [7200, "2 h ago"], [200_000, "2 d ago"]])("%d s reads %s", (seconds, words) => {
  expect(ago(seconds)).toBe(words);
});
