// SPDX-License-Identifier: Apache-2.0
import { batch, signal } from "@preact/signals";
import { Code } from "@connectrpc/connect";
import { hasCode, messageOf } from "@viewer/api/api_error";
import type { Api } from "@viewer/api/clients";
import { isTerminal } from "@viewer/api/session_state";
import { watchSession } from "@viewer/api/session_watch";
import { BodyKind, Codec, Field, type Layout } from "@viewer/gen/sluice/v1/frames_pb";
import type { LogLine, Session } from "@viewer/gen/sluice/v1/sessions_pb";
import { Conductor, type Link } from "@viewer/stream/conductor";
import { arrayOf, frameAt, valuesOf, type DecodedFrame } from "@viewer/stream/decoded_frame";
import { neededBits, usualBits } from "@viewer/stream/fineness";
import { FrameFeed } from "@viewer/stream/frame_feed";
import type { PlayMode } from "@viewer/stream/player";
import type { StreamOrder } from "@viewer/stream/worker_messages";
import { pinVertices, type PinVertices } from "@viewer/view/pins";
import type { ViewSettings } from "@viewer/view/view_settings";
import { FigureStore } from "./figure_store";
import { fetchFacts, smallestBody, type SessionFacts } from "./session_facts";

/** What the controls show of the player. */
export interface Playback {
  readonly mode: PlayMode;
  /** The frame in the picture; -1 before the first. */
  readonly shown: number;
  readonly timeSeconds: number;
  readonly frameCount: number;
  readonly totalFrameCount: number;
  readonly rate: number;
  readonly loop: boolean;
  /** Frames came that are newer than the one shown. */
  readonly behind: boolean;
}

/** Frames whose figures are read for the plots' past, at most. */
const historyPoints = 240;
const keptLogLines = 500;
/** Before the page's numbers follow a stream that brings no picture, in ms. */
const calmInterval = 100;

/** A session that a person looks at: its state, its frames, its figures. Owns the streams. */
export class SessionModel {
  readonly session = signal<Session | undefined>(undefined);
  readonly facts = signal<SessionFacts | undefined>(undefined);
  readonly log = signal<readonly LogLine[]>([]);
  /** Why the session cannot be shown at all; empty while it can. */
  readonly failure = signal("");
  /** Set once the server says that it does not have the session: never, or no more. */
  readonly gone = signal<"unknown" | "deleted" | undefined>(undefined);
  /** Set while calls do not reach the server. */
  readonly unreachable = signal(false);
  readonly link = signal<Link>({ state: "connecting", since: performance.now() });
  readonly playback = signal<Playback>({
    mode: "live", shown: -1, timeSeconds: 0, frameCount: 0, totalFrameCount: 0, rate: 1, loop: false, behind: false,
  });
  readonly pins = signal<ReadonlyMap<string, readonly PinVertices[]>>(new Map());
  readonly figures = new FigureStore();
  readonly conductor: Conductor;
  readonly feed: FrameFeed;
  private readonly abort = new AbortController();
  private readonly stopWatch: () => void;
  private publishing: ReturnType<typeof setTimeout> | undefined;
  private pastIsRead = false;
  private settings: ViewSettings;
  /** Bits of each quantised number: see neededBits. */
  private bits = usualBits;
  private isFine = false;

  constructor(
    private readonly api: Api,
    readonly name: string,
    origin: string,
    firstFrame: number | undefined,
    settings: ViewSettings,
  ) {
    this.conductor = new Conductor(name, () => this.publishSoon());
    this.conductor.setVisible(!document.hidden);
    if (firstFrame !== undefined) this.conductor.startAt(firstFrame);
    this.feed = new FrameFeed(origin, this.conductor.events);
    this.conductor.attach(this.feed);
    this.stopWatch = watchSession(api, name, {
      session: (session) => this.hearSession(session),
      log: (lines) => (this.log.value = [...this.log.value, ...lines].slice(-keptLogLines)),
      lost: () => (this.unreachable.value = true),
      gone: () => this.hearGone(),
    });
    this.settings = settings;
    this.want(settings);
    this.loadFacts();
  }

  /** Fetches what these settings draw. */
  want(settings: ViewSettings): void {
    this.settings = settings;
    // Where there is smoke, the other fields colour it.
    const fields = new Set([Field.POSITION, Field.SMOKE, Field.INTERIOR_CELL, settings.colourBy]);
    if (settings.contacts) fields.add(Field.CONTACT_FORCE);
    if (settings.edges) fields.add(Field.CELL_LEVEL);
    this.conductor.want({ bodies: [], fields: [...fields], codec: settings.exact ? Codec.F32 : Codec.Q16_MESHOPT, bits: this.bits });
  }

  /** See Api. */
  streamsHoldConnections(): Promise<boolean> {
    return this.api.streamsHoldConnections();
  }

  /** To be called for each picture: the frame to draw, if another than before. */
  tick(seconds: number): DecodedFrame | undefined {
    const frame = this.conductor.tick(seconds);
    if (frame !== undefined) {
      const { cursor, timeSeconds, figures } = frame;
      this.refine(frame);
      if (figures !== undefined) this.figures.add([{ index: cursor.index, timeSeconds, figures }]);
      this.publish();
    }
    return frame;
  }

  /** Frames come anew where a body is too small for the numbers that they came with. */
  private refine(frame: DecodedFrame): void {
    const layout = this.facts.value?.layout;
    if (this.isFine || layout === undefined) return;
    const bodies = layout.bodies.filter(({ kind }) => kind === BodyKind.SURFACE || kind === BodyKind.VOLUME);
    const bits = neededBits(frame, bodies.map(({ name }) => name), this.bits);
    this.isFine = bits === this.bits;
    if (this.isFine) return;
    this.bits = bits;
    this.want(this.settings);
  }

  /** Lets a person's command reach the player and shows it at once. */
  command(act: (player: Conductor["player"]) => void): void {
    act(this.conductor.player);
    this.publish();
  }

  /** One frame with everything that is stored of it, exact: for downloads. */
  fetchExact(index: number): Promise<DecodedFrame> {
    return this.feed.fetch({ ...this.sideOrder(), cursor: frameAt(index) });
  }

  stop(): void {
    clearTimeout(this.publishing);
    this.abort.abort();
    this.stopWatch();
    this.feed.stop();
  }

  private hearSession(session: Session): void {
    this.conductor.progress(Number(session.frameCount), isTerminal(session.state));
    batch(() => {
      this.unreachable.value = false;
      this.session.value = session;
      this.publish();
    });
    this.readPast();
  }

  private hearGone(): void {
    this.gone.value = this.session.value === undefined ? "unknown" : "deleted";
    this.stop();
  }

  private loadFacts(): void {
    fetchFacts(this.api, this.name, this.abort.signal).then(
      (facts) => {
        this.facts.value = facts;
        this.findPins(facts).catch((error: unknown) => console.warn("pins are not shown:", error));
        this.readPast();
      },
      (error: unknown) => {
        if (this.abort.signal.aborted) return;
        if (hasCode(error, Code.NotFound)) this.hearGone();
        else this.failure.value = messageOf(error);
      },
    );
  }

  private async findPins({ scene }: SessionFacts): Promise<void> {
    const pinned = [...scene.cloths, ...scene.softBodies].filter((body) => body.pins.length > 0);
    if (pinned.length === 0) return;
    const frame = await this.feed.fetch({
      ...this.sideOrder(), cursor: frameAt(0), bodies: pinned.map((body) => body.name), fields: [Field.POSITION],
    });
    const entries = pinned.map((body) => {
      const positions = arrayOf(frame, body.name, Field.POSITION);
      return [body.name, positions ? pinVertices(body, valuesOf(positions)) : []] as const;
    });
    this.pins.value = new Map(entries);
  }

  /** Once: as soon as both the bodies and the number of frames are known. */
  private readPast(): void {
    const layout = this.facts.value?.layout;
    const frameCount = this.session.value?.frameCount;
    if (this.pastIsRead || layout === undefined || frameCount === undefined) return;
    this.pastIsRead = true;
    const count = Number(frameCount);
    // Plots begin with what is there: why frames cannot be read is what the stream of them says.
    if (count >= 2) this.readFigures(layout, Math.ceil(count / historyPoints)).catch(() => undefined);
  }

  /** Reads the figures of every frame there is, for a table of them; settles when they are there. */
  async readAllFigures(): Promise<void> {
    const layout = this.facts.value?.layout;
    if (layout !== undefined && this.figures.all().length + 1 < this.playback.value.frameCount) await this.readFigures(layout, 1);
  }

  private async readFigures(layout: Layout, stride: number): Promise<void> {
    const body = smallestBody(layout);
    if (body === undefined) return;
    const order = { ...this.sideOrder(), codec: Codec.Q16_MESHOPT, bodies: [body], fields: [Field.POSITION], stride };
    await this.feed.readHistory({ ...order, maxInFlight: 16, existingOnly: true }, (points) => this.figures.add(points));
  }

  private sideOrder(): StreamOrder {
    return {
      session: this.name, latest: false, cursor: frameAt(0), stride: 1, existingOnly: true, bodies: [], fields: [],
      codec: Codec.F32, maxInFlight: 1,
    };
  }

  /** News between two pictures change numbers alone, and each change of the page is composited whole. */
  private publishSoon(): void {
    this.publishing ??= setTimeout(() => this.publish(), calmInterval);
  }

  private publish(): void {
    clearTimeout(this.publishing);
    this.publishing = undefined;
    const { player, shown, link } = this.conductor;
    const next: Playback = {
      mode: player.mode,
      shown: shown?.cursor.index ?? -1,
      timeSeconds: shown?.timeSeconds ?? 0,
      frameCount: player.frameCount,
      totalFrameCount: Math.max(player.frameCount, Number(this.session.value?.totalFrameCount ?? 0n)),
      rate: player.rate,
      loop: player.loop,
      behind: player.mode !== "live" && !player.complete,
    };
    const facts = this.facts.value;
    if (facts !== undefined && facts.layout.framesPerSecond > 0) player.framesPerSecond = facts.layout.framesPerSecond;
    batch(() => {
      this.link.value = link;
      this.playback.value = next;
    });
  }
}
