// SPDX-License-Identifier: Apache-2.0

/** The time that a held command should bridge until the next one comes, in seconds of the viewer's time. */
const bridgeSeconds = 0.12;

/**
 * When to repeat a command that lasts some frames while a person holds on. A command goes out when the one before is about
 * to end: sooner, both would act at once and pull twice.
 */
export class Pace {
  private inFlight = false;
  private actsUntil = -1;

  /** Frames that a command should last for a solver that computes `framesPerSecond` now. */
  static frameCount(framesPerSecond: number): number {
    return Math.min(Math.max(Math.round(framesPerSecond * bridgeSeconds), 1), 20);
  }

  /** Whether every command that was sent has been answered. */
  get isFree(): boolean {
    return !this.inFlight;
  }

  isDue(newestFrame: number): boolean {
    return this.isFree && newestFrame >= this.actsUntil - 1;
  }

  /** Runs `send`, which answers with the first frame that the command acts on. */
  async during(frameCount: number, send: () => Promise<number | undefined>): Promise<void> {
    this.inFlight = true;
    const frame = await send();
    if (frame !== undefined) this.actsUntil = frame + frameCount;
    this.inFlight = false;
  }
}
