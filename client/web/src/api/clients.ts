// SPDX-License-Identifier: Apache-2.0
import { createClient, type Client, type Transport } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { Assets } from "@viewer/gen/sluice/v1/assets_pb";
import { Frames } from "@viewer/gen/sluice/v1/frames_pb";
import { Scenes } from "@viewer/gen/sluice/v1/scenes_pb";
import { Server } from "@viewer/gen/sluice/v1/server_pb";
import { Sessions } from "@viewer/gen/sluice/v1/sessions_pb";
import { channelTo } from "./call_channel";

/** The public API, as every other client has it. */
export interface Api {
  readonly assets: Client<typeof Assets>;
  readonly frames: Client<typeof Frames>;
  readonly scenes: Client<typeof Scenes>;
  readonly server: Client<typeof Server>;
  readonly sessions: Client<typeof Sessions>;
  /** Whether each stream holds one of the browser's six connections to the server, because there is no way for a CallChannel. */
  readonly streamsHoldConnections: () => Promise<boolean>;
}

/** Calls go to the origin that served the page; works in the page and in its workers. */
export function connect(origin: string): Api {
  const channel = channelTo(origin);
  const over = (fetch?: typeof globalThis.fetch): Transport =>
    createGrpcWebTransport({ baseUrl: origin, useBinaryFormat: true, ...(fetch && { fetch }) });
  const brief = over(channel?.fetchBrief);
  const lasting = over(channel?.fetchLasting);
  const transport: Transport = { unary: brief.unary.bind(brief), stream: lasting.stream.bind(lasting) };
  return {
    assets: createClient(Assets, transport),
    frames: createClient(Frames, transport),
    scenes: createClient(Scenes, transport),
    server: createClient(Server, transport),
    sessions: createClient(Sessions, transport),
    streamsHoldConnections: async () => !((await channel?.hasWay()) ?? false),
  };
}
