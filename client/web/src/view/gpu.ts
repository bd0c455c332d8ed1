// SPDX-License-Identifier: Apache-2.0

/** A canvas's context, and whether the processor draws into it because there is no GPU. */
export interface OpenContext {
  readonly context: WebGL2RenderingContext;
  readonly inSoftware: boolean;
}

/** Throws where the browser has no WebGL 2. Without a GPU edges are not smoothed: that would cost several times the picture. */
export function openContext(canvas: HTMLCanvasElement): OpenContext {
  const wished: WebGLContextAttributes = { powerPreference: "high-performance", alpha: false };
  const context = canvas.getContext("webgl2", { ...wished, antialias: true, failIfMajorPerformanceCaveat: true });
  if (context !== null) return { context, inSoftware: false };
  const slow = canvas.getContext("webgl2", { ...wished, antialias: false });
  if (slow === null) throw new Error("there is no WebGL 2");
  return { context: slow, inSoftware: true };
}

/**
 * Knows when a picture that was handed to the GPU is done. A page that hands over faster than the GPU draws is stopped by the
 * browser in the middle of a call, for as long as several pictures take; and what it shows then is as old.
 */
export class GpuQueue {
  private fence: WebGLSync | null = null;

  constructor(private readonly context: WebGL2RenderingContext) {}

  /** Everything of a picture has been handed over. */
  mark(): void {
    const { context } = this;
    if (this.fence !== null) context.deleteSync(this.fence);
    this.fence = context.fenceSync(context.SYNC_GPU_COMMANDS_COMPLETE, 0);
    context.flush();
  }

  /** The marked picture went with the context that is lost. */
  forget(): void {
    this.fence = null;
  }

  /** Whether the marked picture is not done yet. A lost context is never busy. */
  isBusy(): boolean {
    const { context, fence } = this;
    if (fence === null) return false;
    if (context.clientWaitSync(fence, 0, 0) === context.TIMEOUT_EXPIRED) return true;
    context.deleteSync(fence);
    this.fence = null;
    return false;
  }
}
