// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { hasCode, isTransient, messageOf } from "@viewer/api/api_error";
import type { Api } from "@viewer/api/clients";
import { Codec, Delivery, StreamFramesRequestSchema, type StreamFramesRequest } from "@viewer/gen/sluice/v1/frames_pb";
import { Backoff, sleep } from "@viewer/api/backoff";
import { decoderReady, FrameDecoder } from "./decode_frame";
import { frameAt, type DecodedFrame, type FrameCursor } from "./decoded_frame";
import { FrameAssembler } from "./frame_assembler";
import type { StreamOrder } from "./worker_messages";

/** The events of a stream. */
export interface StreamEvents {
  opened(): void;
  frame(frame: DecodedFrame): void;
  /** The server went away; the stream goes on from where it was after `retrySeconds`. */
  lost(retrySeconds: number, message: string): void;
  ended(): void;
  failed(message: string): void;
}

/**
 * Frames of a session, across broken connections: each time the stream opens again after the last whole frame, so that
 * nothing is missing and nothing comes twice.
 */
export class FrameStream {
  private readonly abort = new AbortController();
  private streamId: string | undefined;
  private next: FrameCursor | undefined;
  private left: number;

  constructor(
    private readonly api: Api,
    private readonly order: StreamOrder,
    private readonly events: StreamEvents,
    private readonly backoff = new Backoff(),
  ) {
    this.next = order.cursor;
    this.left = order.frameCount ?? Infinity;
  }

  async run(): Promise<void> {
    for (;;) {
      try {
        await this.receive();
        if (!this.isClosed()) this.events.ended();
        return;
      } catch (error) {
        if (this.isClosed()) return;
        // A session that starts has no frame yet, and a restarted server may not have read this one's end.
        if (!isTransient(error) && !hasCode(error, Code.FailedPrecondition)) {
          this.events.failed(messageOf(error));
          return;
        }
        const seconds = this.backoff.take();
        this.events.lost(seconds, messageOf(error));
        await sleep(seconds, this.abort.signal).catch(() => undefined);
        if (this.isClosed()) return;
      }
    }
  }

  /** Gives the credit of `cursor` and of all frames before it back. A lost acknowledgement is made good by the next. */
  acknowledge(cursor: FrameCursor): void {
    const streamId = this.streamId;
    if (streamId === undefined) return;
    const wire = { epoch: BigInt(cursor.epoch), index: BigInt(cursor.index) };
    this.api.frames.ack({ streamId, cursor: wire }, { signal: this.abort.signal }).catch(() => undefined);
  }

  close(): void {
    this.abort.abort();
  }

  private isClosed(): boolean {
    return this.abort.signal.aborted;
  }

  private async receive(): Promise<void> {
    this.streamId = undefined;
    const assembler = new FrameAssembler();
    const decoder = new FrameDecoder();
    await decoderReady;
    for await (const { part } of this.api.frames.stream(this.request(), { signal: this.abort.signal })) {
      if (part.case === "start") {
        this.streamId = part.value.streamId;
        this.backoff.reset();
        this.events.opened();
      }
      const whole = assembler.take(part);
      if (whole === undefined) continue;
      const frame = decoder.decode(whole);
      this.next = frameAt(frame.cursor.index + this.order.stride);
      this.events.frame(frame);
      if (--this.left === 0) {
        this.events.ended();
        this.close();
        return;
      }
    }
  }

  private request(): StreamFramesRequest {
    const { order } = this;
    const cursor = order.latest ? undefined : this.next;
    return create(StreamFramesRequestSchema, {
      session: order.session,
      ...(cursor && { cursor: { epoch: BigInt(cursor.epoch), index: BigInt(cursor.index) } }),
      stride: order.stride,
      selection: { bodies: [...order.bodies], fields: [...order.fields] },
      codec: order.codec,
      ...(order.codec !== Codec.F32 && order.bits !== undefined && { quantizationBits: order.bits }),
      delivery: order.latest ? Delivery.LATEST : Delivery.EVERY,
      maxInFlight: order.maxInFlight,
      existingOnly: order.existingOnly,
    });
  }
}
