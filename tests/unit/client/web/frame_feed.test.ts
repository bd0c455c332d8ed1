// SPDX-License-Identifier: Apache-2.0
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Codec } from "@viewer/gen/sluice/v1/frames_pb";
import { FrameFeed } from "@viewer/stream/frame_feed";
import type { FigurePoint, FromWorker, StreamOrder, ToWorker } from "@viewer/stream/worker_messages";

/** A worker that the test is the other end of. */
class FakeWorker {
  static last: FakeWorker;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: unknown = null;
  readonly heard: ToWorker[] = [];

  constructor() {
    FakeWorker.last = this;
  }
  postMessage(message: ToWorker): void {
    this.heard.push(message);
  }
  terminate(): void {
    this.onmessage = null;
  }
  say(message: FromWorker): void {
    this.onmessage?.({ data: message } as MessageEvent<FromWorker>);
  }
}

const order: StreamOrder = {
  session: "sessions/test", latest: false, cursor: { epoch: 0, index: 0 }, stride: 1, existingOnly: true, bodies: [], fields: [],
  codec: Codec.F32, maxInFlight: 4,
};
const point = (index: number): FigurePoint => ({ index, timeSeconds: 0.1 * index }) as FigurePoint;
const ignore = (): void => undefined;

function feed(): FrameFeed {
  return new FrameFeed("http://server", { opened: ignore, frame: ignore, lost: ignore, ended: ignore, failed: ignore });
}

beforeEach(() => vi.stubGlobal("Worker", FakeWorker));
afterEach(() => vi.unstubAllGlobals());

test("a history settles with its last figures", async () => {
  const seen: number[] = [];
  const read = feed().readHistory(order, (points) => seen.push(...points.map((p) => p.index)));
  FakeWorker.last.say({ kind: "figures", id: 1, points: [point(0), point(1)], isLast: false });
  FakeWorker.last.say({ kind: "figures", id: 1, points: [point(2)], isLast: true });
  await read;
  expect(seen).toEqual([0, 1, 2]);
});

// Symptom: a table of the first half of the frames was saved as if it were whole.
test("a history that cannot be read to its end throws, and keeps what came before", async () => {
  const seen: number[] = [];
  const read = feed().readHistory(order, (points) => seen.push(...points.map((p) => p.index)));
  FakeWorker.last.say({ kind: "figures", id: 1, points: [point(0)], isLast: false });
  FakeWorker.last.say({ kind: "failed", id: 1, message: "frame 1 was lost to damage on disk" });
  await expect(read).rejects.toThrow("frame 1 was lost to damage on disk");
  expect(seen).toEqual([0]);
});
