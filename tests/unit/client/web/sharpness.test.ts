// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { Sharpness } from "@viewer/view/sharpness";

/** Draws `count` changed pictures, `interval` ms apart; answers with the time of the last. */
function draw(sharpness: Sharpness, from: number, count: number, interval: number): number {
  let now = from;
  for (let i = 0; i < count; ++i) {
    now += interval;
    expect(sharpness.shallDraw(now, true)).toBe(true);
    sharpness.drew(now);
  }
  return now;
}

test("a fast machine draws every pixel, always", () => {
  const sharpness = new Sharpness(false);
  draw(sharpness, 0, 500, 16);
  expect(sharpness.share).toBe(1);
  expect(sharpness.shallDraw(1e6, false)).toBe(false);
});

test("a slow machine draws fewer while the picture moves, and all of them once it stands still", () => {
  const sharpness = new Sharpness(false);
  const now = draw(sharpness, 0, 60, 400);
  expect(sharpness.share).toBe(0.4);
  expect(sharpness.shallDraw(now + 100, false)).toBe(false);
  expect(sharpness.shallDraw(now + 400, false)).toBe(true);
  expect(sharpness.share).toBe(1);
  sharpness.drew(now + 400);
  expect(sharpness.shallDraw(now + 2000, false)).toBe(false);
  // It moves again: coarse at once, without being measured anew.
  draw(sharpness, now + 3000, 1, 60);
  expect(sharpness.share).toBe(0.4);
});

test("frames that come seldom to a fast machine are drawn with every pixel", () => {
  const sharpness = new Sharpness(false);
  let now = 0;
  for (let i = 0; i < 100; ++i) {
    for (let chance = 0; chance < 12; ++chance) sharpness.shallDraw((now += 16), false);
    now = draw(sharpness, now, 1, 16);
  }
  expect(sharpness.share).toBe(1);
});

test("a machine that is free again gets its pixels back", () => {
  const sharpness = new Sharpness(false);
  const now = draw(sharpness, 0, 60, 400);
  draw(sharpness, now, 300, 16);
  expect(sharpness.share).toBe(1);
});

test("without a GPU the first pictures are coarse, until they are seen to be quick", () => {
  const sharpness = new Sharpness(true);
  const now = draw(sharpness, 0, 2, 16);
  expect(sharpness.share).toBe(0.4);
  draw(sharpness, now, 300, 16);
  expect(sharpness.share).toBe(1);
});
