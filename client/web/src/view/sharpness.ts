// SPDX-License-Identifier: Apache-2.0

/** Pictures further apart than this are too slow for a moving scene, in ms. */
const slow = 55;
/** Pictures closer than this leave room for more pixels. */
const fast = 24;
/** Time without a picture after which a coarse one is drawn again with all its pixels. */
const rest = 300;
const least = 0.4;
/** Pictures between two changes: what a change brings shows only after some. */
const settle = 4;

/**
 * How many of the screen's pixels to draw, along each side, and how many of the particles: all of them, unless the machine is
 * too slow for pictures that change, as where there is no GPU. A picture that stands still is drawn with all.
 */
export class Sharpness {
  /** In [least, 1]. */
  share: number;
  /** The share that a moving picture is drawn with. */
  private moving: number;
  private lastPicture = 0;
  private interval = 40;
  private sinceChange = 0;
  private chances = Infinity;

  /** Where the processor draws, the first pictures have few pixels rather than come late. */
  constructor(inSoftware: boolean) {
    this.share = this.moving = inSoftware ? least : 1;
  }

  /** One of so many particles is drawn: where there are fewer pixels, as many fewer particles are seen. */
  get thinning(): number {
    return Math.round(1 / this.share ** 2);
  }

  /**
   * To be called each time that the browser lets a picture be drawn, at `now`, in ms; `changed` says whether there is anything
   * new. Answers whether to draw: also a coarse picture that stands still, which then becomes sharp.
   */
  shallDraw(now: number, changed: boolean): boolean {
    ++this.chances;
    if (changed) {
      this.share = this.moving;
      return true;
    }
    if (this.share === 1 || now - this.lastPicture < rest) return false;
    this.share = 1;
    return true;
  }

  /** A picture was drawn at `now`, in ms. */
  drew(now: number): void {
    const passed = now - this.lastPicture;
    // Where the browser offered to draw and there was nothing new, the time in between is not the machine's.
    const continuous = this.chances <= 2;
    this.lastPicture = now;
    this.chances = 0;
    if (!continuous) return;
    this.interval += (passed - this.interval) * 0.3;
    if (++this.sinceChange >= settle) {
      if (this.interval > slow && this.moving > least) this.change(Math.max(least, this.moving * 0.7));
      else if (this.interval < fast && this.moving < 1) this.change(Math.min(1, this.moving * 1.2));
    }
  }

  private change(share: number): void {
    this.moving = share;
    this.sinceChange = 0;
  }
}
