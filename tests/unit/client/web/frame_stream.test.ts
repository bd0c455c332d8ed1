// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import type { Api } from "@viewer/api/clients";
import { Codec, Delivery, Field, StreamFramesResponseSchema, type StreamFramesRequest, type StreamFramesResponse } from "@viewer/gen/sluice/v1/frames_pb";
import { Backoff } from "@viewer/api/backoff";
import { FrameStream, type StreamEvents } from "@viewer/stream/frame_stream";
import type { StreamOrder } from "@viewer/stream/worker_messages";

/** What the server says of a frame of one particle, whose x is the frame's index; in two chunks. */
function parts(index: number): StreamFramesResponse[] {
  const bytes = new Uint8Array(Float32Array.of(index, 0, 0).buffer);
  const array = { body: "water", field: Field.POSITION, count: 1n, componentCount: 3, codec: Codec.F32, byteCount: 12n };
  const chunk = (from: number, to: number): StreamFramesResponse =>
    create(StreamFramesResponseSchema, { part: { case: "chunk", value: { array: 0, offset: BigInt(from), data: bytes.slice(from, to) } } });
  return [
    create(StreamFramesResponseSchema, { part: { case: "header", value: { cursor: { epoch: 0n, index: BigInt(index) }, arrays: [array] } } }),
    chunk(0, 8), chunk(8, 12),
  ];
}

const opening = create(StreamFramesResponseSchema, { part: { case: "start", value: { streamId: "one" } } });

/** A server that plays one of `scripts` a connection: messages, then the error, if any. */
function server(scripts: readonly { messages: readonly StreamFramesResponse[]; error?: Error }[]): { api: Api; requests: StreamFramesRequest[] } {
  const requests: StreamFramesRequest[] = [];
  // eslint-disable-next-line @typescript-eslint/require-await -- A stream, as connect's clients have it.
  async function* stream(request: StreamFramesRequest): AsyncGenerator<StreamFramesResponse> {
    const script = scripts[requests.length];
    requests.push(request);
    yield* script?.messages ?? [];
    if (script?.error !== undefined) throw script.error;
  }
  return { api: { frames: { stream, ack: () => Promise.resolve({}) } } as unknown as Api, requests };
}

const order: StreamOrder = {
  session: "sessions/test", latest: false, cursor: { epoch: 0, index: 4 }, stride: 2, existingOnly: false, bodies: [], fields: [],
  codec: Codec.F32, maxInFlight: 4,
};

/** Runs a stream to its end; answers with what became of it. */
async function run(api: Api, given: StreamOrder): Promise<{ frames: number[]; ends: string[] }> {
  const frames: number[] = [];
  const ends: string[] = [];
  const events: StreamEvents = {
    opened: () => undefined,
    frame: ({ cursor, arrays }) => {
      expect(arrays[0]?.words[0]).toBe(cursor.index);
      frames.push(cursor.index);
    },
    lost: () => ends.push("lost"),
    ended: () => ends.push("ended"),
    failed: (message) => ends.push(message),
  };
  await new FrameStream(api, given, events, new Backoff(0.001, 0.002)).run();
  return { frames, ends };
}

const away = new ConnectError("stopping", Code.Unavailable);

describe("a stream of frames", () => {
  test("goes on behind the last whole frame after each break: none twice, none missing", async () => {
    const { api, requests } = server([
      { messages: [opening, ...parts(4), ...parts(6), ...parts(8).slice(0, 2)], error: away }, // In the middle of a frame.
      { messages: [], error: new TypeError("Failed to fetch") },
      { messages: [opening, ...parts(8), ...parts(10)] },
    ]);
    const { frames, ends } = await run(api, order);
    expect(frames).toEqual([4, 6, 8, 10]);
    expect(ends).toEqual(["lost", "lost", "ended"]);
    expect(requests.map((request) => request.cursor?.index)).toEqual([4n, 8n, 8n]);
  });

  test("asks for the newest again, not for the past, where it follows", async () => {
    const { api, requests } = server([{ messages: [opening, ...parts(7)], error: away }, { messages: [opening, ...parts(20)] }]);
    const { frames } = await run(api, { ...order, latest: true, stride: 1 });
    expect(frames).toEqual([7, 20]);
    expect(requests.map(({ cursor, delivery }) => [cursor, delivery])).toEqual([[undefined, Delivery.LATEST], [undefined, Delivery.LATEST]]);
  });

  test("ends after the frames it was to bring", async () => {
    const { api, requests } = server([{ messages: [opening, ...parts(4), ...parts(6), ...parts(8)] }]);
    const { frames, ends } = await run(api, { ...order, frameCount: 1 });
    expect([frames, ends, requests.length]).toEqual([[4], ["ended"], 1]);
  });

  test("does not try again where the server disagrees, and passes its words on", async () => {
    const { api, requests } = server([{ messages: [], error: new ConnectError("frame 4 is past the end", Code.OutOfRange) }]);
    const { ends } = await run(api, order);
    expect([ends, requests.length]).toEqual([["frame 4 is past the end"], 1]);
  });

  test("refuses chunks that do not fit their frame", async () => {
    const [header, first, second] = parts(4) as [StreamFramesResponse, StreamFramesResponse, StreamFramesResponse];
    const tooMany = server([{ messages: [opening, header, first, second, second] }]);
    expect((await run(tooMany.api, order)).ends).toEqual(["a chunk does not fit its frame"]);
    const cutShort = server([{ messages: [opening, header, first, ...parts(6)] }]);
    expect((await run(cutShort.api, order)).ends).toEqual(["a frame began before the one before it was whole"]);
  });
});
