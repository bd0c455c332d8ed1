// SPDX-License-Identifier: Apache-2.0
import { Ray, Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { followRate } from "@viewer/steer/follow_rate";
import { Pace } from "@viewer/steer/pace";
import { depthUnder } from "@viewer/steer/water_depth";
import { frame } from "./frames";

describe("what follows the hand by velocity", () => {
  test.each([[5, 60], [60, 60], [300, 60], [2000, 600]])("arrives and stays, %d frames computed a second of %d simulated", (computed, simulated) => {
    // The hand sees a position 0.25 s late and commands every 0.12 s.
    const step = 0.01;
    let position = 0;
    let velocity = 0;
    const seen: number[] = [];
    let furthest = 0;
    for (let i = 0; i < 1000; ++i) {
      seen.push(position);
      if (i % 12 === 0) velocity = followRate(computed, simulated) * (1 - (seen[i - 25] ?? 0));
      position += (velocity * step * computed) / simulated;
      furthest = Math.max(furthest, position);
    }
    expect(position).toBeCloseTo(1, 2);
    expect(furthest).toBeLessThan(1.35);
  });

  test("moves at all while nothing is known of the solver's pace", () => {
    expect(followRate(0, 60)).toBeGreaterThan(0);
  });
});

describe("the pace of a held command", () => {
  test("lasts about as long as it takes to send the next, whatever the solver's speed", () => {
    expect([0, 5, 60, 5000].map((rate) => Pace.frameCount(rate))).toEqual([1, 1, 7, 20]);
  });

  test("repeats a command when the one before is about to end, not sooner", async () => {
    const pace = new Pace();
    expect(pace.isDue(0)).toBe(true);
    let answer: (frame: number) => void = () => undefined;
    const sent = pace.during(4, () => new Promise<number>((resolve) => (answer = resolve)));
    expect(pace.isDue(100)).toBe(false); // Not answered yet.
    answer(10);
    await sent;
    expect([12, 13].map((newest) => pace.isDue(newest))).toEqual([false, true]);
  });

  test("tries again after a refusal", async () => {
    const pace = new Pace();
    await pace.during(4, () => Promise.resolve(undefined));
    expect(pace.isDue(0)).toBe(true);
  });
});

describe("the water under the pointer", () => {
  const ray = new Ray(new Vector3(0, 0, 5), new Vector3(0, 0, -1));

  test("is as deep as the first particle near the ray", () => {
    const water = frame(0, 3);
    water.arrays[0]?.words.set([0.05, 0, 1, 0, 0, 3, 2, 0, 4]);
    expect(depthUnder(water, ray, 0.1)).toBe(2);
  });

  test("is nowhere where there is none, or only behind", () => {
    const water = frame(0, 2);
    water.arrays[0]?.words.set([1, 0, 1, 0, 0, 9]);
    expect(depthUnder(water, ray, 0.1)).toBeUndefined();
  });
});
