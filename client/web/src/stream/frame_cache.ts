// SPDX-License-Identifier: Apache-2.0
import { byteCountOf, type DecodedFrame } from "./decoded_frame";

/** Decoded frames by index, the least recently used given up first. */
export class FrameCache {
  private readonly frames = new Map<number, DecodedFrame>();
  private byteCount = 0;

  constructor(private readonly byteLimit: number) {}

  put(frame: DecodedFrame): void {
    this.drop(frame.cursor.index);
    this.frames.set(frame.cursor.index, frame);
    this.byteCount += byteCountOf(frame);
    for (const index of this.frames.keys()) {
      if (this.byteCount <= this.byteLimit || this.frames.size === 1) return;
      this.drop(index);
    }
  }

  /** The frame, which counts as used now. */
  get(index: number): DecodedFrame | undefined {
    const frame = this.frames.get(index);
    if (frame === undefined) return undefined;
    this.frames.delete(index);
    this.frames.set(index, frame);
    return frame;
  }

  has(index: number): boolean {
    return this.frames.has(index);
  }

  clear(): void {
    this.frames.clear();
    this.byteCount = 0;
  }

  private drop(index: number): void {
    const frame = this.frames.get(index);
    if (frame === undefined) return;
    this.frames.delete(index);
    this.byteCount -= byteCountOf(frame);
  }
}
