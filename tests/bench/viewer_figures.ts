// SPDX-License-Identifier: Apache-2.0
// Measures the viewer in headless Chromium with software rendering, on a real sluiced: prints {figure: value} as JSON.
// Run by tests/bench/report; needs what tests/e2e/viewer/run sets.
import type { Browser, Page } from "playwright-core";
import { Codec, Delivery, Field } from "@viewer/gen/sluice/v1/frames_pb";
import { launchBrowser } from "../e2e/viewer/browser";
import { start, stillSheet } from "../e2e/viewer/scenes";
import { Server } from "../e2e/viewer/server";

/** 62,000 particles at rest under a sheet of cloth, without gravity: the hand finds it in its place. A frame is one step. */
const pool = {
  name: "Pool under a sheet",
  domain: { lower: [0, 0, 0], upper: [1, 1, 0.6] },
  gravity: [0, 0, 0],
  timing: { frame_count: 100_000, frames_per_second: 600 },
  fluid_grid: { cell_size: 0.04, particles_per_axis: 4 },
  fluids: [{ name: "water", regions: [{ box: { size: [1, 1, 0.06] }, transform: { translation: [0.5, 0.5, 0.03] } }], sound_speed: 10 }],
  cloths: [{
    name: "sheet", grid: { size: [0.6, 0.6], vertices: [71, 71] }, transform: { translation: [0.5, 0.5, 0.4] }, area_density: 0.5,
    structural_stiffness: 50, damping: 2,
    pins: [{ name: "side", region: { box: { size: [0.02, 2, 2] }, transform: { translation: [0.2, 0.5, 0.4] } } }],
  }],
  camera: { eye: [0.5, -1.2, 1.4], target: [0.5, 0.5, 0.3] },
};

/** What the page notes for us: when which frame was shown, how long tasks took, what became of commands. */
interface Notes {
  shown: { index: number; at: number }[];
  tasks: number[];
  commands: { at: number; frame: number }[];
}

declare global {
  // The page's global.
  var notes: Notes;
}

function takeNotes({ drawEvery }: { drawEvery: number }): void {
  globalThis.notes = { shown: [], tasks: [], commands: [] };
  const { notes } = globalThis;
  new PerformanceObserver((list) => notes.tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" });
  new MutationObserver(() => {
    const text = document.querySelector("[data-testid=frame]")?.textContent;
    if (text === undefined || document.querySelector(".waiting") !== null) return;
    const index = Number(text);
    if (notes.shown[notes.shown.length - 1]?.index !== index) notes.shown.push({ index, at: Date.now() });
  }).observe(document, { subtree: true, childList: true, characterData: true });
  let pointerAt = 0;
  addEventListener("pointerdown", () => (pointerAt = Date.now()), true);
  const { fetch } = globalThis;
  globalThis.fetch = async (...request) => {
    const response = await fetch(...request);
    const address = request[0] instanceof Request ? request[0].url : String(request[0]);
    if (!address.endsWith("/Steer")) return response;
    const body = await response.arrayBuffer();
    // gRPC-Web: 5 bytes of frame, then field 1, a varint.
    const bytes = new Uint8Array(body, 6);
    let frame = 0;
    for (let i = 0, more = true; more; ++i) {
      frame += ((bytes[i] ?? 0) & 127) * 2 ** (7 * i);
      more = (bytes[i] ?? 0) > 127;
    }
    notes.commands.push({ at: pointerAt, frame });
    return new Response(body, response);
  };
  if (drawEvery > 0) globalThis.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), drawEvery) as unknown as number;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

async function open(browser: Browser, address: string, drawEvery = 0): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1000, height: 640 } });
  await page.addInitScript(takeNotes, { drawEvery });
  await page.waitForTimeout(1500); // The browser's new window is not the viewer's work.
  await page.goto(address);
  await page.waitForFunction(() => globalThis.notes.shown.length > 0, undefined, { timeout: 60_000 });
  return page;
}

/** From the start of the navigation to the first frame, median of 5, in ms. */
async function firstPicture(browser: Browser, address: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 5; ++i) {
    const page = await open(browser, address);
    times.push(await page.evaluate(() => (globalThis.notes.shown[0]?.at ?? Number.NaN) - performance.timeOrigin));
    await page.close();
  }
  return percentile(times, 0.5);
}

/** From pressing the button on cloth to the first picture that it changed: the median of 15, in ms. */
async function commandToPicture(browser: Browser, address: string): Promise<number> {
  const page = await open(browser, address);
  await page.getByRole("button", { name: "Grab" }).click();
  const box = await page.locator("canvas.stage").boundingBox();
  if (box === null) throw new Error("no canvas");
  for (let i = 0; i < 15; ++i) {
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.waitForTimeout(100);
    await page.mouse.up();
    await page.waitForTimeout(600);
  }
  const { commands, shown } = await page.evaluate(() => globalThis.notes);
  await page.close();
  // The first command of each press.
  const first = commands.filter(({ at }, i) => at !== commands[i - 1]?.at);
  const delays = first.map(({ at, frame }) => (shown.find(({ index }) => index >= frame)?.at ?? Number.NaN) - at);
  if (delays.length < 10) throw new Error(`only ${delays.length} presses found the cloth`);
  return percentile(delays.filter(Number.isFinite), 0.5);
}

/** Age of the frames that a page shows which draws a small scene ten times a second: 99th percentile over 20 s, in ms. */
async function frameAge(browser: Browser, server: Server): Promise<number> {
  const session = await start(server.api, stillSheet);
  await firstFrames(server, session);
  const arrived = new Map<number, number>();
  const abort = new AbortController();
  const request = { session, delivery: Delivery.EVERY, codec: Codec.Q16_MESHOPT, selection: { bodies: ["sheet"], fields: [Field.POSITION] } };
  const { frameCount } = await server.api.sessions.get({ name: session });
  const watching = (async () => {
    const cursor = { epoch: 0n, index: frameCount - 1n };
    for await (const { part } of server.api.frames.stream({ ...request, cursor }, { signal: abort.signal }))
      if (part.case === "header") arrived.set(Number(part.value.cursor?.index), Date.now());
  })().catch(() => undefined);
  const page = await open(browser, `${server.url}/${session}`, 100);
  await page.waitForTimeout(20_000);
  const shown = await page.evaluate(() => globalThis.notes.shown);
  abort.abort();
  await watching;
  await page.close();
  await server.api.sessions.delete({ name: session });
  const ages = shown.slice(5).flatMap(({ index, at }) => {
    const then = arrived.get(index);
    return then === undefined ? [] : [at - then];
  });
  if (ages.length < 50) throw new Error(`only ${ages.length} frames were shown`);
  return percentile(ages, 0.99);
}

/** The longest task of a page that follows 62,000 particles and a sheet for 20 s after its first picture, in ms; 0 for none over 50. */
async function longestStall(browser: Browser, address: string): Promise<number> {
  const page = await open(browser, address);
  await page.waitForTimeout(1000);
  await page.evaluate(() => globalThis.notes.tasks.splice(0));
  await page.waitForTimeout(20_000);
  const tasks = await page.evaluate(() => globalThis.notes.tasks);
  await page.close();
  return Math.max(0, ...tasks);
}

async function firstFrames(server: Server, name: string): Promise<void> {
  while ((await server.api.sessions.get({ name })).frameCount < 10n) await new Promise((resolve) => setTimeout(resolve, 200));
}

const [server, browser] = await Promise.all([Server.start(), launchBrowser()]);
const session = await start(server.api, pool);
await firstFrames(server, session);
const address = `${server.url}/${session}`;
const figures: Record<string, number> = {};
const measure: Record<string, () => Promise<number>> = {
  first_picture_while_solving: () => firstPicture(browser, address),
  command_to_picture_p50: () => commandToPicture(browser, address),
  longest_stall: () => longestStall(browser, address),
  // From here on the solver leaves the cores to the page.
  first_picture: async () => {
    await server.api.sessions.pause({ name: session });
    return firstPicture(browser, address);
  },
  frame_age_p99: async () => {
    await server.api.sessions.pause({ name: session });
    return frameAge(browser, server);
  },
};
try {
  for (const [name, run] of Object.entries(measure)) {
    if (process.argv.length > 2 && !process.argv.slice(2).includes(name)) continue;
    figures[name] = await run();
  }
} finally {
  await server.api.sessions.delete({ name: session });
  await browser.close();
  await server.stop();
}
console.log(JSON.stringify(figures));
