// SPDX-License-Identifier: Apache-2.0
import { create, fromBinary, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import type { Page } from "playwright-core";
import { ListSessionsResponseSchema, SessionWarningSchema, WatchSessionResponseSchema, type Session } from "@viewer/gen/sluice/v1/sessions_pb";

export type Warnings = readonly MessageInitShape<typeof SessionWarningSchema>[];

/**
 * Lets a page believe that the server says these warnings of its sessions: put into the messages on their way to the page. What gives
 * rise to warnings takes long, or is mended one day; what the page makes of them does not depend on it.
 */
export async function sayWarnings(page: Page, warnings: () => Warnings): Promise<void> {
  const add = (session: Session | undefined): void => {
    session?.warnings.push(...warnings().map((one) => create(SessionWarningSchema, one)));
  };
  await page.route("**/sluice.v1.Sessions/List", async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    const end = 5 + body.readUInt32BE(1);
    const list = fromBinary(ListSessionsResponseSchema, body.subarray(5, end));
    list.sessions.forEach(add);
    await route.fulfill({ response, body: Buffer.concat([framed(toBinary(ListSessionsResponseSchema, list)), body.subarray(end)]) });
  });
  await page.routeWebSocket("**/calls", (socket) => {
    const toServer = socket.connectToServer();
    const watches = new Set<number>();
    socket.onMessage((message) => {
      const bytes = message as Buffer;
      if (bytes.subarray(5).toString("latin1").startsWith("/sluice.v1.Sessions/Watch")) watches.add(bytes.readUInt32BE(0));
      toServer.send(message);
    });
    toServer.onMessage((message) => {
      const bytes = message as Buffer;
      if (!watches.has(bytes.readUInt32BE(0)) || bytes[4] !== 0) {
        socket.send(message);
        return;
      }
      const event = fromBinary(WatchSessionResponseSchema, bytes.subarray(9));
      add(event.session);
      socket.send(Buffer.concat([bytes.subarray(0, 4), framed(toBinary(WatchSessionResponseSchema, event))]));
    });
  });
}

/** A message as gRPC-Web has it. */
function framed(message: Uint8Array): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([prefix, message]);
}
