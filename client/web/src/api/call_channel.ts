// SPDX-License-Identifier: Apache-2.0
// Calls over one WebSocket: server/web/channel_message.h has the format.

/** The part of a WebSocket that the channel needs. */
export type ChannelSocket = Pick<WebSocket, "binaryType" | "send" | "close" | "onopen" | "onmessage" | "onclose">;

/** Opens a socket to the server's channel. */
export type OpenSocket = () => ChannelSocket;

/** A server or a proxy that lets no WebSocket through is asked again after this, in ms. */
const retryAfter = 60_000;
/** A socket that does not open within this will not, in ms. Who lets none through mostly says so at once. */
const openPatience = 15_000;
/** A larger request is fetched: the server takes 64 KiB (`max_channel_request_bytes` of server/web/settings.h). */
const largestRequest = 60 * 1024;
const envelopeBytes = 5;

interface OpenCall {
  readonly frame: (bytes: Uint8Array) => void;
  readonly lost: (error: Error) => void;
}

/**
 * Makes the calls of a page over one WebSocket, in the place of `fetch`. A browser holds six connections to a server over
 * HTTP/1.1, over all its tabs, and each stream has one for as long as it lasts; WebSockets are not among the six. The socket
 * opens with the first call that lasts and stays; what is answered at once goes over it while it is there. Where there is no way for a
 * WebSocket (a proxy may not know them), calls are fetched.
 */
export class CallChannel {
  private socket: ChannelSocket | undefined;
  private opening: Promise<ChannelSocket> | undefined;
  private readonly calls = new Map<number, OpenCall>();
  private lastId = 0;
  /** Whether a socket has ever opened: then there is a way, and one that fails means that the server is away. */
  private hasOpened = false;
  private blockedUntil = -Infinity;

  constructor(
    private readonly openSocket: OpenSocket,
    private readonly plainFetch: typeof fetch,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Opens the socket; answers with whether there is a way for one. Else each call that lasts holds one of the six. */
  async hasWay(): Promise<boolean> {
    if (!this.isBlocked) await this.openOrBlock().catch(() => undefined);
    return !this.isBlocked;
  }

  /** Does what `fetch` does, for a call over gRPC-Web whose answer streams. */
  readonly fetchLasting: typeof fetch = async (input, init) => {
    const socket = this.isBlocked || !fitsChannel(init) ? undefined : await this.openOrBlock();
    return socket === undefined ? this.plainFetch(input, init) : this.call(socket, pathOf(input), init ?? {});
  };

  /** Does what `fetch` does, for any other call over gRPC-Web. */
  readonly fetchBrief: typeof fetch = (input, init) => {
    if (this.socket === undefined || !fitsChannel(init)) return this.plainFetch(input, init);
    return Promise.resolve(this.call(this.socket, pathOf(input), init ?? {}));
  };

  private get isBlocked(): boolean {
    return this.now() < this.blockedUntil;
  }

  /** The open socket; nothing where there is no way for one. Throws while the server is away. */
  private async openOrBlock(): Promise<ChannelSocket | undefined> {
    try {
      return await this.open();
    } catch (error) {
      if (this.hasOpened) throw error;
      this.blockedUntil = this.now() + retryAfter;
      return undefined;
    }
  }

  private open(): Promise<ChannelSocket> {
    if (this.socket !== undefined) return Promise.resolve(this.socket);
    this.opening ??= this.openNow().finally(() => (this.opening = undefined));
    return this.opening;
  }

  private openNow(): Promise<ChannelSocket> {
    return new Promise((resolve, reject) => {
      const socket = this.openSocket();
      const timer = setTimeout(() => socket.close(), openPatience);
      socket.binaryType = "arraybuffer";
      socket.onopen = () => {
        clearTimeout(timer);
        this.socket = socket;
        this.hasOpened = true;
        resolve(socket);
      };
      socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => this.take(new Uint8Array(data));
      socket.onclose = () => {
        clearTimeout(timer);
        const error = new TypeError("the connection to the server was lost");
        reject(error);
        if (this.socket !== socket) return;
        this.socket = undefined;
        const calls = [...this.calls.values()];
        this.calls.clear();
        calls.forEach((call) => call.lost(error));
      };
    });
  }

  private take(bytes: Uint8Array): void {
    const id = new DataView(bytes.buffer).getUint32(0);
    this.calls.get(id)?.frame(bytes.subarray(4));
  }

  private call(socket: ChannelSocket, path: string, { body, signal }: RequestInit): Response {
    signal?.throwIfAborted();
    if (!(body instanceof Uint8Array)) throw new Error("a call's request is bytes");
    const id = (this.lastId = (this.lastId % 0xffffffff) + 1);
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        const cancel = (): void => {
          this.cancel(socket, id);
          controller.error(signal?.reason);
        };
        const end = (act: () => void): void => {
          this.calls.delete(id);
          signal?.removeEventListener("abort", cancel);
          act();
        };
        this.calls.set(id, {
          frame: (bytes) => {
            controller.enqueue(bytes);
            if (((bytes[0] ?? 0) & 0x80) !== 0) end(() => controller.close());
          },
          lost: (error) => end(() => controller.error(error)),
        });
        signal?.addEventListener("abort", cancel, { once: true });
      },
      cancel: () => this.cancel(socket, id),
    });
    socket.send(requestBytes(id, path, body.subarray(envelopeBytes)));
    return new Response(stream, { headers: { "Content-Type": "application/grpc-web+proto" } });
  }

  private cancel(socket: ChannelSocket, id: number): void {
    if (this.calls.delete(id) && this.socket === socket) socket.send(requestBytes(id, "", new Uint8Array()));
  }
}

/** The channel of the server that a page came from; nothing where the runtime has no WebSockets. */
export function channelTo(origin: string): CallChannel | undefined {
  if (typeof WebSocket === "undefined") return undefined;
  const address = `${origin.replace(/^http/, "ws")}/calls`;
  return new CallChannel(() => new WebSocket(address, "sluice.calls.v1"), (input, init) => fetch(input, init));
}

function fitsChannel(init: RequestInit | undefined): boolean {
  return init?.body instanceof Uint8Array && init.body.byteLength <= largestRequest;
}

function pathOf(input: RequestInfo | URL): string {
  return new URL(input instanceof Request ? input.url : input).pathname;
}

/** The id alone, without a path, cancels the call. */
export function requestBytes(id: number, path: string, message: Uint8Array): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(path);
  const isCall = name.byteLength > 0;
  const bytes = new Uint8Array(4 + (isCall ? 1 + name.byteLength + message.byteLength : 0));
  new DataView(bytes.buffer).setUint32(0, id);
  if (isCall) {
    bytes[4] = name.byteLength;
    bytes.set(name, 5);
    bytes.set(message, 5 + name.byteLength);
  }
  return bytes;
}
