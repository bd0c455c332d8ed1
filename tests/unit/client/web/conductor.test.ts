// SPDX-License-Identifier: Apache-2.0
import { beforeEach, describe, expect, test } from "vitest";
import { Codec, Field } from "@viewer/gen/sluice/v1/frames_pb";
import { Conductor, type Feed } from "@viewer/stream/conductor";
import type { StreamOrder } from "@viewer/stream/worker_messages";
import { frame } from "./frames";

/** Takes notes of what is asked of it. */
class NotingFeed implements Feed {
  readonly orders: StreamOrder[] = [];
  readonly acknowledged: number[] = [];
  isOpen = false;
  open(order: StreamOrder): void {
    this.orders.push(order);
    this.isOpen = true;
  }
  acknowledge({ index }: { index: number }): void {
    this.acknowledged.push(index);
  }
  close(): void {
    this.isOpen = false;
  }
  get last(): StreamOrder | undefined {
    return this.orders[this.orders.length - 1];
  }
}

const wanted = { bodies: [], fields: [Field.POSITION], codec: Codec.Q16_MESHOPT };
let feed: NotingFeed;
let conductor: Conductor;

beforeEach(() => {
  feed = new NotingFeed();
  conductor = new Conductor("sessions/test", () => undefined);
  conductor.attach(feed);
});

/** One picture: 1/60 s. Answers with the frame drawn, if another than before. */
function picture(): number | undefined {
  return conductor.tick(1 / 60)?.cursor.index;
}

describe("following live", () => {
  beforeEach(() => conductor.want(wanted));

  test("opens the newest-frame stream at once, and once, and shows what comes", () => {
    expect(feed.orders).toHaveLength(1);
    picture();
    expect(feed.orders).toHaveLength(1);
    expect(feed.last).toMatchObject({ latest: true, session: "sessions/test", codec: Codec.Q16_MESHOPT });
    conductor.events.frame(frame(4));
    expect(picture()).toBe(4);
    expect(picture()).toBeUndefined();
  });

  test("shows the newest of the frames that came while a picture was drawn: none waits for another", () => {
    conductor.events.frame(frame(3));
    expect(feed.acknowledged).toEqual([]); // The first picture comes before the next frame.
    expect(picture()).toBe(3);
    picture();
    expect(feed.acknowledged).toEqual([3]);
    conductor.events.frame(frame(4));
    conductor.events.frame(frame(5));
    conductor.events.frame(frame(9));
    expect(feed.acknowledged).toEqual([3, 4, 5, 9]);
    expect(picture()).toBe(9);
    expect(picture()).toBeUndefined();
  });

  test("opens nothing in a tab that was opened behind another, until it is looked at", () => {
    const behind = new Conductor("sessions/test", () => undefined);
    const quiet = new NotingFeed();
    behind.attach(quiet);
    behind.setVisible(false);
    behind.want(wanted);
    behind.tick(1 / 60);
    expect(quiet.orders).toEqual([]);
    behind.setVisible(true);
    behind.tick(1 / 60);
    expect(quiet.orders).toHaveLength(1);
  });

  test("stands at the last frame when the session has ended", () => {
    picture();
    conductor.progress(10, true);
    conductor.events.frame(frame(9));
    conductor.events.ended();
    expect(conductor.player.mode).toBe("paused");
    expect(picture()).toBe(9);
    picture();
    expect(feed.orders).toHaveLength(1);
  });

  test("a hidden page fetches nothing, and goes on when it is seen again", () => {
    picture();
    conductor.setVisible(false);
    expect(feed.isOpen).toBe(false);
    picture();
    expect(feed.orders).toHaveLength(1);
    conductor.setVisible(true);
    picture();
    expect(feed.orders).toHaveLength(2);
  });
});

describe("scrubbing", () => {
  beforeEach(() => {
    conductor.startAt(10);
    conductor.want(wanted);
    conductor.progress(100, true);
  });

  test("fetches one frame, and while it is on its way none of those passed over", () => {
    conductor.player.seek(10);
    picture();
    for (const index of [20, 30, 40]) {
      conductor.player.seek(index);
      picture();
    }
    expect(feed.orders.map((order) => order.cursor?.index)).toEqual([10]);
    expect(feed.last?.frameCount).toBe(1);
    conductor.events.frame(frame(10));
    conductor.events.ended();
    picture();
    expect(feed.orders.map((order) => order.cursor?.index)).toEqual([10, 40]);
  });

  test("shows a frame that was fetched before without asking again", () => {
    conductor.player.seek(10);
    picture();
    conductor.events.frame(frame(10));
    conductor.events.ended();
    expect(picture()).toBe(10);
    conductor.player.seek(11);
    picture();
    conductor.events.frame(frame(11));
    conductor.events.ended();
    picture();
    conductor.player.seek(10);
    expect(picture()).toBe(10);
    expect(feed.orders).toHaveLength(2);
  });

  test("other arrays mean other frames: what is kept is dropped", () => {
    conductor.player.seek(10);
    picture();
    conductor.events.frame(frame(10));
    conductor.events.ended();
    picture();
    conductor.want({ ...wanted, fields: [Field.POSITION, Field.PRESSURE] });
    picture();
    expect(feed.orders).toHaveLength(2);
    expect(feed.last?.fields).toContain(Field.PRESSURE);
  });

  test("an address that names a frame which never came shows the last one", () => {
    const late = new Conductor("sessions/test", () => undefined);
    late.attach(feed);
    late.startAt(500);
    late.want(wanted);
    late.tick(0);
    late.events.failed("past the end");
    late.progress(100, true);
    late.tick(0);
    expect(feed.last?.cursor?.index).toBe(99);
  });
});

describe("playing", () => {
  beforeEach(() => {
    conductor.startAt(0);
    conductor.want(wanted);
    conductor.progress(100, true);
    conductor.player.play();
    picture();
  });

  test("reads every frame from where it stands, and loses none", () => {
    expect(feed.last).toMatchObject({ latest: false, cursor: { index: 0 }, stride: 1 });
    const seen: number[] = [];
    for (let i = 0; i < 40; ++i) {
      conductor.events.frame(frame(i));
      const drawn = picture();
      if (drawn !== undefined) seen.push(drawn);
    }
    expect(seen).toEqual(seen.map((_, i) => i));
    expect(seen.length).toBeGreaterThan(30);
    expect(feed.orders).toHaveLength(1);
  });

  test("holds credits back while enough lies ahead", () => {
    for (let i = 0; i < 30; ++i) conductor.events.frame(frame(i));
    expect(feed.acknowledged[feed.acknowledged.length - 1]).toBeLessThan(16);
  });

  test("plays a loop from the cache", () => {
    conductor.progress(5, true);
    conductor.player.loop = true;
    for (let i = 0; i < 5; ++i) conductor.events.frame(frame(i));
    conductor.events.ended();
    for (let i = 0; i < 60; ++i) picture();
    expect(feed.orders).toHaveLength(1);
  });
});
