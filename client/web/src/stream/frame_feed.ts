// SPDX-License-Identifier: Apache-2.0
import type { DecodedFrame, FrameCursor } from "./decoded_frame";
import { takeWorker } from "./worker_start";
import type { FigurePoint, FromWorker, StreamOrder, ToWorker } from "./worker_messages";

/** The events of the stream that the page opened last. */
export interface FeedEvents {
  opened(): void;
  frame(frame: DecodedFrame): void;
  lost(retrySeconds: number, message: string): void;
  ended(): void;
  failed(message: string): void;
}

/** The page's end of the worker. At most one stream of pictures is open; what comes late from one before it is dropped. */
export class FrameFeed {
  private readonly worker = takeWorker();
  private readonly sideStreams = new Map<number, Partial<FeedEvents> & { figures?(points: readonly FigurePoint[], isLast: boolean): void }>();
  private lastId = 0;
  private openId: number | undefined;

  constructor(
    origin: string,
    private readonly events: FeedEvents,
  ) {
    this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.hear(data);
    this.worker.onerror = (event) => this.events.failed(`The decoder stopped: ${event.message}`);
    this.say({ kind: "connect", origin });
  }

  /** Opens a stream in place of the one before. */
  open(order: StreamOrder): void {
    this.close();
    this.openId = ++this.lastId;
    this.say({ kind: "open", id: this.openId, order });
  }

  acknowledge(cursor: FrameCursor): void {
    if (this.openId !== undefined) this.say({ kind: "ack", id: this.openId, cursor });
  }

  close(): void {
    if (this.openId !== undefined) this.say({ kind: "close", id: this.openId });
    this.openId = undefined;
  }

  /** One frame beside the open stream, as for a download. */
  fetch(order: StreamOrder): Promise<DecodedFrame> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      const end = (message: string): void => {
        this.sideStreams.delete(id);
        reject(new Error(message));
      };
      this.sideStreams.set(id, {
        frame: resolve,
        ended: () => end("there is no such frame"),
        failed: end,
        lost: (_, message) => {
          this.say({ kind: "close", id });
          end(message);
        },
      });
      this.say({ kind: "open", id, order: { ...order, frameCount: 1 } });
    });
  }

  /** Figures of the frames that exist, as they come; settles with the last of them, and throws where some cannot be read. */
  readHistory(order: StreamOrder, figures: (points: readonly FigurePoint[]) => void): Promise<void> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.sideStreams.set(id, {
        failed: (message) => {
          this.sideStreams.delete(id);
          reject(new Error(message));
        },
        figures: (points, isLast) => {
          figures(points);
          if (!isLast) return;
          this.sideStreams.delete(id);
          resolve();
        },
      });
      this.say({ kind: "history", id, order });
    });
  }

  stop(): void {
    this.worker.terminate();
  }

  private say(message: ToWorker): void {
    this.worker.postMessage(message);
  }

  private hear(message: FromWorker): void {
    if (message.kind === "figures") {
      this.sideStreams.get(message.id)?.figures?.(message.points, message.isLast);
      return;
    }
    const events = message.id === this.openId ? this.events : this.sideStreams.get(message.id);
    switch (message.kind) {
      case "opened":
        events?.opened?.();
        break;
      case "frame":
        events?.frame?.(message.frame);
        break;
      case "lost":
        events?.lost?.(message.retrySeconds, message.message);
        break;
      case "ended":
        events?.ended?.();
        break;
      case "failed":
        events?.failed?.(message.message);
        break;
    }
  }
}
