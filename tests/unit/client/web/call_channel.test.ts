// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { CallChannel, requestBytes, type ChannelSocket } from "@viewer/api/call_channel";

/** A socket that the test is the other end of. */
class FakeSocket implements ChannelSocket {
  binaryType: BinaryType = "blob";
  onopen: ChannelSocket["onopen"] = null;
  onmessage: ChannelSocket["onmessage"] = null;
  onclose: ChannelSocket["onclose"] = null;
  readonly sent: Uint8Array[] = [];

  send(data: unknown): void {
    this.sent.push(data as Uint8Array);
  }
  close(): void {
    this.onclose?.call({} as WebSocket, {} as CloseEvent);
  }
  open(): void {
    this.onopen?.call({} as WebSocket, {} as Event);
  }
  answer(id: number, ...frame: number[]): void {
    const data = Uint8Array.of(0, 0, 0, id, ...frame).buffer;
    this.onmessage?.call({} as WebSocket, { data } as MessageEvent);
  }
}

const request = { method: "POST", body: Uint8Array.of(0, 0, 0, 0, 2, 7, 8) };
const address = "http://server/sluice.v1.Frames/Stream";

function fixture(): { channel: CallChannel; sockets: FakeSocket[]; fetched: string[]; clock: { now: number } } {
  const sockets: FakeSocket[] = [];
  const fetched: string[] = [];
  const clock = { now: 0 };
  const openSocket = (): ChannelSocket => {
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket;
  };
  const plainFetch = (input: RequestInfo | URL): Promise<Response> => {
    fetched.push(input as string);
    return Promise.resolve(new Response("fetched"));
  };
  return { channel: new CallChannel(openSocket, plainFetch, () => clock.now), sockets, fetched, clock };
}

async function bytesOf(response: Response): Promise<number[]> {
  return [...new Uint8Array(await response.arrayBuffer())];
}

describe("the channel of calls", () => {
  test("carries calls side by side over one socket, each with its own answers", async () => {
    const { channel, sockets, fetched } = fixture();
    const opening = [channel.fetchLasting(address, request), channel.fetchLasting(address, request)];
    sockets[0]?.open();
    const [first, second] = await Promise.all(opening);
    if (first === undefined || second === undefined) throw new Error("no answers");
    expect(sockets.length).toBe(1);
    expect(sockets[0]?.sent.map((bytes) => [...bytes])).toEqual([1, 2].map((id) => [...requestBytes(id, "/sluice.v1.Frames/Stream", Uint8Array.of(7, 8))]));
    sockets[0]?.answer(2, 0, 0, 0, 0, 1, 42);
    sockets[0]?.answer(1, 0x80, 0, 0, 0, 0);
    sockets[0]?.answer(2, 0x80, 0, 0, 0, 0);
    expect(await bytesOf(first)).toEqual([0x80, 0, 0, 0, 0]);
    expect(await bytesOf(second)).toEqual([0, 0, 0, 0, 1, 42, 0x80, 0, 0, 0, 0]);
    // What is answered at once goes the same way, while there is one; what is large does not.
    void channel.fetchBrief(address, request);
    void channel.fetchBrief(address, { ...request, body: new Uint8Array(100_000) });
    expect(sockets[0]?.sent.length).toBe(3);
    expect(fetched).toEqual([address]);
  });

  test("tells the server of a call that is given up, and drops what still comes of it", async () => {
    const { channel, sockets } = fixture();
    const abort = new AbortController();
    const opening = channel.fetchLasting(address, { ...request, signal: abort.signal });
    sockets[0]?.open();
    const response = await opening;
    abort.abort();
    expect([...(sockets[0]?.sent[1] ?? [])]).toEqual([0, 0, 0, 1]);
    sockets[0]?.answer(1, 0, 0, 0, 0, 1, 42);
    await expect(response.arrayBuffer()).rejects.toThrow("aborted");
  });

  test("ends its calls when the socket is lost, and opens another for the next", async () => {
    const { channel, sockets, fetched } = fixture();
    const opening = channel.fetchLasting(address, request);
    sockets[0]?.open();
    const response = await opening;
    sockets[0]?.close();
    await expect(response.arrayBuffer()).rejects.toThrow("connection");
    const away = channel.fetchLasting(address, request);
    sockets[1]?.close();
    await expect(away).rejects.toThrow("connection");  // The server is away: to fetch would fail as well.
    void channel.fetchLasting(address, request);
    expect(sockets.length).toBe(3);
    expect(fetched).toEqual([]);
  });

  test("fetches a call whose request is larger than the server takes over a socket", async () => {
    const { channel, sockets, fetched } = fixture();
    const large = { method: "POST", body: new Uint8Array(64 * 1024) };
    expect(await (await channel.fetchLasting(address, large)).text()).toBe("fetched");
    expect(await (await channel.fetchBrief(address, large)).text()).toBe("fetched");
    expect(sockets.length).toBe(0);
    expect(fetched).toEqual([address, address]);
  });

  test("fetches where no socket opens, and tries again after a while", async () => {
    const { channel, sockets, fetched, clock } = fixture();
    const opening = channel.fetchLasting(address, request);
    sockets[0]?.close();
    expect(await (await opening).text()).toBe("fetched");
    expect(await channel.hasWay()).toBe(false);
    await channel.fetchLasting(address, request);
    expect([sockets.length, fetched.length]).toEqual([1, 2]);
    clock.now = 100_000;
    const way = channel.hasWay();
    sockets[1]?.open();
    expect(await way).toBe(true);
  });
});
