// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { FrameCache } from "@viewer/stream/frame_cache";
import { frame } from "./frames";

test("keeps within its bytes by giving up what was used longest ago", () => {
  const cache = new FrameCache(3 * 120); // A frame of 10 particles is 120 bytes.
  for (const index of [0, 1, 2]) cache.put(frame(index, 10));
  cache.get(0);
  cache.put(frame(3, 10));
  expect([0, 1, 2, 3].map((index) => cache.has(index))).toEqual([true, false, true, true]);
});

test("a frame that comes again counts once", () => {
  const cache = new FrameCache(2 * 120);
  for (let i = 0; i < 5; ++i) cache.put(frame(0, 10));
  cache.put(frame(1, 10));
  expect(cache.has(0) && cache.has(1)).toBe(true);
});

test("a frame larger than the limit is still kept while it is the only one", () => {
  const cache = new FrameCache(10);
  cache.put(frame(0, 10));
  expect(cache.has(0)).toBe(true);
  cache.put(frame(1, 10));
  expect([cache.has(0), cache.has(1)]).toEqual([false, true]);
});
