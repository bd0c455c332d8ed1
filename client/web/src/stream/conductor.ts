// SPDX-License-Identifier: Apache-2.0
import type { Codec, Field } from "@viewer/gen/sluice/v1/frames_pb";
import { frameAt, type DecodedFrame } from "./decoded_frame";
import { FrameCache } from "./frame_cache";
import type { FeedEvents } from "./frame_feed";
import { Player } from "./player";
import type { StreamOrder } from "./worker_messages";

/** How the page stands to the server. */
export type Link =
  | { readonly state: "connecting"; readonly since: number }
  | { readonly state: "open" }
  | { readonly state: "lost"; readonly retryAt: number; readonly message: string }
  | { readonly state: "failed"; readonly message: string };

/** The methods of a feed that the conductor needs; FrameFeed has them. */
export interface Feed {
  open(order: StreamOrder): void;
  acknowledge(cursor: { readonly epoch: number; readonly index: number }): void;
  close(): void;
}

/** The part of each frame to fetch. */
export interface Wanted {
  readonly bodies: readonly string[];
  readonly fields: readonly Field[];
  readonly codec: Codec;
  /** See StreamOrder. */
  readonly bits?: number;
}

/** The open stream. `next` is the frame that it brings next; `only` means one frame alone. */
type Source =
  | { readonly kind: "none" }
  | { readonly kind: "live" }
  | { readonly kind: "read"; next: number; readonly stride: number; readonly only: boolean };

const cacheByteLimit = 256 * 1024 * 1024;
/** Frames fetched ahead of the picture while playing. */
const readAhead = 12;
/** Credits of a stream: what the newest-frame mode may be behind by, and what hides the way to the server otherwise. */
const liveCredits = 2;
const readCredits = 4;

/**
 * Brings the frames that the player wants: from the cache, or by opening the stream that has them. One stream is open at a
 * time; a frame's credit goes back when the page has it (live: a picture that takes long is followed by the newest frame, not
 * by one that waited for it) or while few enough lie ahead (playing).
 */
export class Conductor {
  readonly player = new Player();
  readonly cache = new FrameCache(cacheByteLimit);
  shown: DecodedFrame | undefined;
  link: Link = { state: "connecting", since: performance.now() };
  private feed: Feed | undefined;
  private source: Source = { kind: "none" };
  private unacknowledged: DecodedFrame | undefined;
  private visible = true;
  /** Nothing is asked for again that the server has refused. */
  private refused = false;
  private wanted: Wanted | undefined;

  constructor(
    private readonly session: string,
    private readonly changed: () => void,
  ) {}

  /** The feed's events come here: `new FrameFeed(origin, conductor.events)`. */
  readonly events: FeedEvents = {
    opened: () => this.setLink({ state: "open" }),
    frame: (frame) => this.take(frame),
    lost: (retrySeconds, message) =>
      this.setLink({ state: "lost", retryAt: performance.now() + retrySeconds * 1000, message }),
    ended: () => {
      if (this.source.kind === "live") this.player.seek(this.player.frameCount - 1);
      this.source = { kind: "none" };
      this.changed();
    },
    failed: (message) => {
      this.source = { kind: "none" };
      this.refused = true;
      this.setLink({ state: "failed", message });
    },
  };

  attach(feed: Feed): void {
    this.feed = feed;
  }

  /** Chooses arrays and codec; frames that were fetched for another choice are dropped. */
  want(wanted: Wanted): void {
    this.wanted = wanted;
    this.cache.clear();
    this.stop();
    this.refused = false;
    // The newest frame can come while the page still learns what it will show.
    if (this.player.mode === "live") this.steerSource();
    this.changed();
  }

  /** Takes the progress of the session from the server. */
  progress(frameCount: number, complete: boolean): void {
    this.player.frameCount = complete ? frameCount : Math.max(this.player.frameCount, frameCount);
    this.player.complete = complete;
    if (complete && frameCount > 0 && this.player.index >= frameCount) {
      // The address named a frame that never came.
      this.player.seek(frameCount - 1);
      this.refused = false;
    }
  }

  /** Opens at a frame, before the server has said how many there are. */
  startAt(index: number): void {
    this.player.frameCount = index + 1;
    this.player.seek(index);
  }

  /** A hidden page fetches nothing. */
  setVisible(visible: boolean): void {
    this.visible = visible;
    if (!visible) this.stop();
    else this.changed();
  }

  /** To be called for each picture: the frame to draw, if another than before. */
  tick(seconds: number): DecodedFrame | undefined {
    this.player.advance(seconds, this.shown?.cursor.index ?? -1);
    this.giveCredit();
    this.steerSource();
    const frame = this.cache.get(this.player.index);
    if (frame === undefined || frame === this.shown) return undefined;
    this.shown = frame;
    return frame;
  }

  private giveCredit(): void {
    const frame = this.unacknowledged;
    if (frame === undefined || !this.mayGoOn(frame)) return;
    this.feed?.acknowledge(frame.cursor);
    this.unacknowledged = undefined;
  }

  private mayGoOn(frame: DecodedFrame): boolean {
    // Until there is a picture, the page is busy with it.
    if (this.source.kind !== "read") return this.shown !== undefined;
    const ahead = (frame.cursor.index - this.player.index) / this.source.stride;
    return ahead < readAhead;
  }

  private take(frame: DecodedFrame): void {
    if (this.link.state !== "open") this.setLink({ state: "open" });
    const { index } = frame.cursor;
    this.player.arrived(index);
    this.cache.put(frame);
    this.unacknowledged = frame;
    if (this.source.kind === "read") this.source.next = index + this.source.stride;
    this.giveCredit();
    this.changed();
  }

  private setLink(link: Link): void {
    this.link = link;
    this.changed();
  }

  private stop(): void {
    this.feed?.close();
    this.source = { kind: "none" };
    this.unacknowledged = undefined;
  }

  /** Opens the stream that the player needs now, if it is not the open one. */
  private steerSource(): void {
    if (!this.visible || this.refused || this.wanted === undefined || this.feed === undefined) return;
    const { player, source } = this;
    if (player.mode === "live") {
      if (source.kind !== "live") this.openLive(this.wanted);
      return;
    }
    const playing = player.mode === "playing";
    const stride = playing ? player.stride : 1;
    const missing = this.firstMissing(stride, playing);
    if (missing === undefined) {
      if (source.kind !== "none" && !(source.kind === "read" && playing)) this.stop();
      return;
    }
    if (!this.serves(missing, stride, playing)) this.openRead(this.wanted, missing, stride, !playing);
  }

  /** Whether the open stream will bring the frame `missing` in good time. */
  private serves(missing: number, stride: number, playing: boolean): boolean {
    const { source } = this;
    if (source.kind !== "read" || source.only === playing) return false;
    // While a person drags the slider, a frame that is on its way is awaited before the next is asked for.
    if (source.only) return true;
    return source.stride === stride && source.next <= missing && missing - source.next <= readCredits * stride;
  }

  /** The first frame that is wanted soon and not here. */
  private firstMissing(stride: number, playing: boolean): number | undefined {
    const { player, cache } = this;
    const count = playing ? readAhead : 1;
    for (let i = 0, index = player.index; i < count; ++i, index += stride) {
      if (index >= player.frameCount) return i === 0 && player.frameCount === 0 ? 0 : undefined;
      if (!cache.has(index)) return index;
    }
    return undefined;
  }

  private openLive(wanted: Wanted): void {
    this.stop();
    this.source = { kind: "live" };
    this.open(wanted, { latest: true, stride: 1, maxInFlight: liveCredits });
  }

  private openRead(wanted: Wanted, index: number, stride: number, only: boolean): void {
    this.stop();
    this.source = { kind: "read", next: index, stride, only };
    this.open(wanted, {
      latest: false,
      stride,
      cursor: frameAt(index),
      maxInFlight: readCredits,
      ...(only && { frameCount: 1 }),
    });
  }

  private open(wanted: Wanted, order: Omit<StreamOrder, keyof Wanted | "session" | "existingOnly">): void {
    if (this.link.state !== "lost") this.link = { state: "connecting", since: performance.now() };
    this.feed?.open({ ...wanted, ...order, session: this.session, existingOnly: false });
    this.changed();
  }
}
