// SPDX-License-Identifier: Apache-2.0
// Measures what the page's worker takes in: frames of a million particles, recorded from a real sluiced and sent again as fast as
// headless Chromium reads them. Prints {figure: value} as JSON. Run by tests/bench/report, as viewer_figures.ts is.
import { createServer, request as forward, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { create, toBinary } from "@bufbuild/protobuf";
import type { Page } from "playwright-core";
import { Codec, Delivery, Field, StreamFramesRequestSchema } from "@viewer/gen/sluice/v1/frames_pb";
import { SessionState } from "@viewer/gen/sluice/v1/sessions_pb";
import { launchBrowser } from "../e2e/viewer/browser";
import { start } from "../e2e/viewer/scenes";
import { Server } from "../e2e/viewer/server";

/** A column of 1,024,000 particles that falls over. */
const column = {
  name: "A million particles",
  domain: { lower: [0, 0, 0], upper: [1, 1, 0.6] },
  timing: { frame_count: 12, frames_per_second: 60 },
  fluid_grid: { cell_size: 0.0125 },
  fluids: [{ name: "water", regions: [{ box: { size: [0.5, 1, 0.5] }, transform: { translation: [0.25, 0.5, 0.25] } }], sound_speed: 10 }],
};
const heapMinutes = 10;

declare global {
  // The page's global: frames that its worker has handed over.
  var takenFrames: number;
}

/** The bodies of all messages of a session's quantised positions, key frame first, without the trailers. */
async function record(server: Server, session: string): Promise<Buffer> {
  const request = create(StreamFramesRequestSchema, {
    session, cursor: { epoch: 0n, index: 0n }, codec: Codec.Q16_MESHOPT, delivery: Delivery.EVERY, maxInFlight: 64, existingOnly: true,
    selection: { fields: [Field.POSITION] },
  });
  const message = toBinary(StreamFramesRequestSchema, request);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.byteLength, 1);
  const response = await fetch(`${server.url}/sluice.v1.Frames/Stream`, {
    method: "POST", headers: { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" }, body: Buffer.concat([head, message]),
  });
  const body = Buffer.from(await response.arrayBuffer());
  let end = 0;
  while (end < body.length && ((body[end] ?? 0) & 0x80) === 0) end += 5 + body.readUInt32BE(end + 1);
  if (end < 1_000_000) throw new Error(`the stream has ${end} bytes: ${body.subarray(end).toString("latin1")}`);
  return body.subarray(0, end);
}

/** Sends the recording over and over, as fast as it is read. */
function replay(recording: Buffer, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/grpc-web+proto" });
  const more = (): void => {
    while (!response.destroyed && response.write(recording));
    response.once("drain", more);
  };
  more();
}

/** sluiced, but for the stream of frames. Answers with its address and how to stop it. */
async function replayServer(server: Server, recording: Buffer): Promise<{ url: string; stop(): void }> {
  const web = createServer((request, response) => {
    if (request.url === "/sluice.v1.Frames/Stream") {
      request.resume();
      replay(recording, response);
      return;
    }
    const headers = { ...request.headers, host: new URL(server.url).host };
    const onward = forward(server.url + (request.url ?? "/"), { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(web.address() as AddressInfo).port}`,
    stop: () => {
      web.closeAllConnections();
      web.close();
    },
  };
}

function countFrames(): void {
  globalThis.takenFrames = 0;
  const { Worker: Plain } = globalThis;
  globalThis.Worker = class extends Plain {
    constructor(...how: ConstructorParameters<typeof Plain>) {
      super(...how);
      this.addEventListener("message", ({ data }: MessageEvent<{ kind: string }>) => {
        if (data.kind === "frame") ++globalThis.takenFrames;
      });
    }
  };
}

async function framesPerSecond(page: Page, seconds: number): Promise<number> {
  const before = await page.evaluate(() => [globalThis.takenFrames, performance.now()] as const);
  await page.waitForTimeout(seconds * 1000);
  const after = await page.evaluate(() => [globalThis.takenFrames, performance.now()] as const);
  return ((after[0] - before[0]) / (after[1] - before[1])) * 1000;
}

/** Bytes of the page: its JavaScript heap and the frames that it keeps. */
async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize, backingStorageSize = 0 } = (await session.send("Runtime.getHeapUsage")) as { usedSize: number; backingStorageSize?: number };
  await session.detach();
  return usedSize + backingStorageSize;
}

/** Growth of the page's heap from the first minute, when its cache is full, to the tenth, as a share. */
async function heapGrowth(page: Page): Promise<number> {
  await page.waitForTimeout(60_000);
  const first = await heapBytes(page);
  await page.waitForTimeout((heapMinutes - 1) * 60_000);
  return (await heapBytes(page)) / first - 1;
}

const server = await Server.start();
// Without WebGL nothing is drawn: the page takes frames in, and keeps them.
const browser = await launchBrowser(["--disable-3d-apis"]);
try {
  const session = await start(server.api, column);
  while ((await server.api.sessions.get({ name: session })).state !== SessionState.SUCCEEDED) await new Promise((resolve) => setTimeout(resolve, 500));
  const replaying = await replayServer(server, await record(server, session));
  const page = await browser.newPage();
  await page.addInitScript(countFrames);
  await page.goto(`${replaying.url}/${session}`);
  await page.waitForFunction(() => globalThis.takenFrames > 40, undefined, { timeout: 60_000 });
  const figures = process.argv.includes("heap_growth") ? { heap_growth: await heapGrowth(page) } : { million_frames: await framesPerSecond(page, 10) };
  console.log(JSON.stringify(figures));
  replaying.stop();
} finally {
  await browser.close();
  await server.stop();
}
