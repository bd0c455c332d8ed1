// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { Player } from "@viewer/stream/player";

/** A player of `frameCount` stored frames at 60 a second. */
function stored(frameCount: number): Player {
  const player = new Player();
  player.frameCount = frameCount;
  player.complete = true;
  player.seek(0);
  return player;
}

/** Plays `pictures` pictures of 1/60 s, each frame being there at once; answers with what was shown. */
function watch(player: Player, pictures: number): number[] {
  const shown: number[] = [];
  for (let i = 0; i < pictures; ++i) {
    player.advance(1 / 60, player.index);
    shown.push(player.index);
  }
  return shown;
}

describe("playing", () => {
  test("at rate 1 shows each frame of a 60 Hz simulation once, in order, and stops at the last", () => {
    const player = stored(5);
    player.play();
    expect(watch(player, 6)).toEqual([1, 2, 3, 4, 4, 4]);
    expect(player.mode).toBe("paused");
  });

  test("at half the rate shows each frame twice", () => {
    const player = stored(4);
    player.setRate(0.5);
    player.play();
    expect(watch(player, 6)).toEqual([0, 1, 1, 2, 2, 3]);
  });

  test("at four times the rate goes in strides, and still ends on the last stride within the frames", () => {
    const player = stored(10);
    player.setRate(4);
    player.play();
    expect(player.stride).toBe(4);
    expect(watch(player, 3)).toEqual([4, 8, 9]);
  });

  test("waits for a frame that has not come, and jumps over none afterwards", () => {
    const player = stored(100);
    player.play();
    player.advance(1 / 60, 0);
    for (let i = 0; i < 30; ++i) player.advance(1 / 60, 0); // Frame 1 is late by half a second.
    expect(player.index).toBe(1);
    player.advance(1 / 60, 1);
    expect(player.index).toBe(2);
  });

  test("a page that stood still for a second goes on with the next frame", () => {
    const player = stored(100);
    player.play();
    player.advance(1, 0);
    expect(player.index).toBe(1);
  });

  test("begins again from the start at the end of all, or by itself when looping", () => {
    const player = stored(3);
    player.seek(2);
    player.play();
    expect(player.index).toBe(0);
    player.loop = true;
    expect(watch(player, 4)).toEqual([1, 2, 0, 1]);
    expect(player.mode).toBe("playing");
  });

  test("waits at the newest frame of a session that runs", () => {
    const player = stored(3);
    player.complete = false;
    player.play();
    expect(watch(player, 5)).toEqual([1, 2, 2, 2, 2]);
    expect(player.mode).toBe("playing");
    player.arrived(3);
    expect(watch(player, 1)).toEqual([3]);
  });
});

describe("seeking and following", () => {
  test("a seek stays among the frames there are", () => {
    const player = stored(10);
    player.seek(99);
    expect(player.index).toBe(9);
    player.seek(-3);
    expect(player.index).toBe(0);
    player.seek(Infinity);
    expect(player.index).toBe(9);
  });

  test("following shows what arrives; standing still does not", () => {
    const player = new Player();
    player.arrived(7);
    expect(player.index).toBe(7);
    player.seek(3);
    player.arrived(12);
    expect(player.index).toBe(3);
    expect(player.frameCount).toBe(13);
    player.follow();
    player.arrived(14);
    expect(player.index).toBe(14);
  });
});
