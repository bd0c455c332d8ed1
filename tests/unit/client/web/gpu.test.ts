// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { GpuQueue } from "@viewer/view/gpu";

/** A context whose pictures are done when the test says so. */
class SlowContext {
  readonly SYNC_GPU_COMMANDS_COMPLETE = 1;
  readonly TIMEOUT_EXPIRED = 2;
  readonly WAIT_FAILED = 3;
  readonly ALREADY_SIGNALED = 4;
  answer = this.TIMEOUT_EXPIRED as number;
  living = 0;
  fenceSync(): object {
    ++this.living;
    return {};
  }
  deleteSync(): void {
    --this.living;
  }
  clientWaitSync(): number {
    return this.answer;
  }
  flush(): void {
    // Nothing is queued here.
  }
}

function queueOn(context: SlowContext): GpuQueue {
  return new GpuQueue(context as unknown as WebGL2RenderingContext);
}

test("is busy from a picture's end until it is done, and keeps no fence after that", () => {
  const context = new SlowContext();
  const queue = queueOn(context);
  expect(queue.isBusy()).toBe(false);
  queue.mark();
  expect(queue.isBusy()).toBe(true);
  context.answer = context.ALREADY_SIGNALED;
  expect(queue.isBusy()).toBe(false);
  expect(context.living).toBe(0);
});

test("is not busy for ever where the context is lost", () => {
  const context = new SlowContext();
  const queue = queueOn(context);
  queue.mark();
  context.answer = context.WAIT_FAILED;
  expect(queue.isBusy()).toBe(false);
});
