// SPDX-License-Identifier: Apache-2.0

/** Follows the newest frame, plays stored ones at a rate, or stands still. */
export type PlayMode = "live" | "playing" | "paused";

/** Pictures a second that playing aims at: faster simulations are played in strides. */
const picturesPerSecond = 60;

/**
 * Which frame to show when. Knows nothing of where frames come from: the conductor tells it what there is, and asks.
 * Indices are frames from 0 to `frameCount` - 1.
 */
export class Player {
  mode: PlayMode = "live";
  /** Simulated seconds in a second; above 0. */
  rate = 1;
  loop = false;
  framesPerSecond = 60;
  frameCount = 0;
  /** Whether no frames will follow. */
  complete = false;
  private position = 0;

  /** The frame to show now. */
  get index(): number {
    if (this.mode !== "playing") return Math.round(this.position);
    const last = Math.max(0, this.frameCount - 1);
    return Math.min(last, this.strideStart + Math.floor((this.position - this.strideStart) / this.stride) * this.stride);
  }

  /** Frames from one picture to the next while playing. */
  get stride(): number {
    return Math.max(1, Math.floor((this.framesPerSecond * this.rate) / picturesPerSecond));
  }

  private strideStart = 0;

  follow(): void {
    this.mode = "live";
  }

  /** Stands at a frame; the nearest there is. */
  seek(index: number): void {
    this.mode = "paused";
    this.position = Math.min(Math.max(0, Math.round(index)), Math.max(0, this.frameCount - 1));
  }

  pause(): void {
    this.seek(this.index);
  }

  /** Plays on from where it stands; from the beginning where it stands at the end of all. */
  play(): void {
    const atEnd = this.complete && this.index >= this.frameCount - 1;
    const from = atEnd ? 0 : this.index;
    this.mode = "playing";
    this.position = this.strideStart = from;
  }

  setRate(rate: number): void {
    const from = this.index;
    this.rate = rate;
    this.position = this.strideStart = from;
  }

  /** A frame came while following. */
  arrived(index: number): void {
    this.frameCount = Math.max(this.frameCount, index + 1);
    if (this.mode === "live") this.position = index;
  }

  /**
   * Moves on by `seconds` of the viewer's time while playing. `shown` is the frame in the picture: time waits for a frame
   * that has not come, so that none is jumped over.
   */
  advance(seconds: number, shown: number): void {
    if (this.mode !== "playing") return;
    if (shown !== this.index) return;
    const last = this.frameCount - 1;
    const next = this.position + seconds * this.framesPerSecond * this.rate;
    // However late this call comes, the next picture is the next one of the stride.
    this.position = Math.min(next, this.index + this.stride, Math.max(last, 0) + 0.999);
    if (next < last + 1 || !this.complete) return;
    if (this.loop) this.position = this.strideStart = 0;
    else this.seek(last);
  }
}
