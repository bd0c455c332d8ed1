// SPDX-License-Identifier: Apache-2.0
// Fetches and decodes frames beside the page, so that neither ever holds up the picture.
/// <reference lib="webworker" />
import { connect, type Api } from "@viewer/api/clients";
import { FrameStream } from "./frame_stream";
import type { FigurePoint, FromWorker, StreamOrder, ToWorker } from "./worker_messages";

declare const self: DedicatedWorkerGlobalScope;

const streams = new Map<number, FrameStream>();
let api: Api | undefined;

function tell(message: FromWorker, transfer: Transferable[] = []): void {
  self.postMessage(message, transfer);
}

function open(id: number, order: StreamOrder): void {
  if (api === undefined) throw new Error("no server was named");
  const stream = new FrameStream(api, order, {
    opened: () => tell({ kind: "opened", id }),
    frame: (frame) => tell({ kind: "frame", id, frame }, frame.arrays.map((array) => array.words.buffer)),
    lost: (retrySeconds, message) => tell({ kind: "lost", id, retrySeconds, message }),
    ended: () => tell({ kind: "ended", id }),
    failed: (message) => tell({ kind: "failed", id, message }),
  });
  run(id, stream);
}

/** The figures of the frames that exist: of each only the smallest body is fetched, and dropped here. */
function readHistory(id: number, order: StreamOrder): void {
  if (api === undefined) throw new Error("no server was named");
  let points: FigurePoint[] = [];
  let count = 0;
  const flush = (isLast: boolean): void => {
    if (points.length > 0 || isLast) tell({ kind: "figures", id, points, isLast });
    points = [];
  };
  const stream = new FrameStream(api, order, {
    opened: () => undefined,
    frame: ({ cursor, timeSeconds, figures }) => {
      if (figures !== undefined) points.push({ index: cursor.index, timeSeconds, figures });
      if (++count % (order.maxInFlight / 2) === 0) stream.acknowledge(cursor);
      if (points.length >= 32) flush(false);
    },
    lost: () => undefined,
    ended: () => flush(true),
    failed: (message) => {
      flush(false);
      tell({ kind: "failed", id, message });
    },
  });
  run(id, stream);
}

function run(id: number, stream: FrameStream): void {
  streams.set(id, stream);
  void stream.run().finally(() => streams.delete(id));
}

self.onmessage = ({ data }: MessageEvent<ToWorker>): void => {
  switch (data.kind) {
    case "connect":
      api = connect(data.origin);
      break;
    case "open":
      open(data.id, data.order);
      break;
    case "history":
      readHistory(data.id, data.order);
      break;
    case "ack":
      streams.get(data.id)?.acknowledge(data.cursor);
      break;
    case "close":
      streams.get(data.id)?.close();
      break;
  }
};
