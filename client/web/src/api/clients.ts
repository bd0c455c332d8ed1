// SPDX-License-Identifier: Apache-2.0
import { createClient, type Client } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { Assets } from "@viewer/gen/sluice/v1/assets_pb";
import { Frames } from "@viewer/gen/sluice/v1/frames_pb";
import { Scenes } from "@viewer/gen/sluice/v1/scenes_pb";
import { Server } from "@viewer/gen/sluice/v1/server_pb";
import { Sessions } from "@viewer/gen/sluice/v1/sessions_pb";

/** The public API, as every other client has it. */
export interface Api {
  readonly assets: Client<typeof Assets>;
  readonly frames: Client<typeof Frames>;
  readonly scenes: Client<typeof Scenes>;
  readonly server: Client<typeof Server>;
  readonly sessions: Client<typeof Sessions>;
}

/** Calls go to the origin that served the page; works in the page and in its workers. */
export function connect(origin: string): Api {
  const transport = createGrpcWebTransport({ baseUrl: origin, useBinaryFormat: true });
  return {
    assets: createClient(Assets, transport),
    frames: createClient(Frames, transport),
    scenes: createClient(Scenes, transport),
    server: createClient(Server, transport),
    sessions: createClient(Sessions, transport),
  };
}
