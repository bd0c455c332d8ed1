// SPDX-License-Identifier: Apache-2.0
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Codec, Field } from "@viewer/gen/sluice/v1/frames_pb";
import { SessionState } from "@viewer/gen/sluice/v1/sessions_pb";
import { difference, keepScreenshot, launchBrowser, middle, openPage, picture, waitForFrame } from "./browser";
import { recorded, recordedActions, type Action } from "./recorded";
import { start, stillSheet, stillWater } from "./scenes";
import { Server } from "./server";

let server: Server;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([Server.start(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** The part of a request that names a frame; none names the newest. */
function at(index?: number): { cursor?: { epoch: bigint; index: bigint } } {
  return index === undefined ? {} : { cursor: { epoch: 0n, index: BigInt(index) } };
}

/** Exact positions of the sheet in a frame; the newest without `index`. */
async function positions(session: string, index?: number): Promise<Float32Array> {
  const frame = await server.api.frames.get({
    session, codec: Codec.F32, selection: { fields: [Field.POSITION] }, ...at(index),
  });
  const bytes = Buffer.concat(frame.chunks.map((chunk) => chunk.data));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

function furthest(a: Float32Array, b: Float32Array): number {
  return a.reduce((most, x, i) => Math.max(most, Math.abs(x - (b[i] ?? Number.NaN))), 0);
}

/** How much further off than in the scene the camera stands, for a picture that is narrower than a film's. */
async function distanceShare(page: Page): Promise<number> {
  const camera = (await cameraOf(page)).split(",").map(Number);
  return Math.abs(camera[1] ?? Number.NaN) / 1.6;
}

/** From the page's address, which follows the camera within half a second. */
async function cameraOf(page: Page): Promise<string> {
  await page.waitForTimeout(600);
  return new URL(page.url()).searchParams.get("camera") ?? "none";
}

function stops(action: Action): boolean {
  return (action.case === "moveObstacle" || action.case === "movePin") && Math.hypot(...action.value.velocity) === 0;
}

test("a sheet that is grabbed and dragged moves, in the data and in the picture", async () => {
  const name = await start(server.api, stillSheet);
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  const first = await waitForFrame(page, (frame) => frame > 3);
  // Nothing moves by itself: what moves later was moved by hand.
  expect(furthest(await positions(name, 0), await positions(name, first))).toBeLessThan(1e-4);
  const before = await picture(page);
  const camera = await cameraOf(page);

  await page.getByRole("button", { name: "Grab" }).click();
  const { x, y } = await middle(page);
  await page.mouse.move(x + 60, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y - 110, { steps: 8 });
  const atRest = await positions(name, 0);
  await vi.waitFor(async () => expect(furthest(atRest, await positions(name))).toBeGreaterThan(0.03), { timeout: 20_000, interval: 100 });
  await page.waitForTimeout(1000);  // For the picture to have it too.
  await keepScreenshot(page, "dragging");
  const held = await picture(page);
  await page.mouse.up();

  expect(await difference(browser, before, held)).toBeGreaterThan(0.01);
  // The camera stood still meanwhile.
  expect(await cameraOf(page)).toBe(camera);
  await server.api.sessions.cancel({ name });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a pin and an obstacle follow the hand, and stay when it lets go", async () => {
  const name = await start(server.api, stillSheet);
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  await waitForFrame(page, (frame) => frame > 3);
  await page.getByRole("button", { name: "Grab" }).click();
  const { x, y } = await middle(page);
  const drag = async (fromX: number, fromY: number, byX: number, byY: number, hasCome: () => Promise<boolean>): Promise<void> => {
    await page.mouse.move(fromX, fromY);
    await page.mouse.down();
    await page.mouse.move(fromX + byX, fromY + byY, { steps: 8 });
    await vi.waitFor(async () => expect(await hasCome()).toBe(true), { timeout: 20_000, interval: 100 });
    await page.mouse.up();
  };
  const stopped = async (kind: Action["case"]): Promise<number> => {
    // Frames run on while the hand's last word is on its way.
    const { frame } = await recorded(server.api, name, kind, stops);
    await waitForFrame(page, (shown) => shown > frame + 30);
    return frame;
  };
  // The ball behind the sheet's free corner: its bounds are in the scene.
  const height = async (index?: number): Promise<number> => {
    const { header } = await server.api.frames.get({ session: name, ...at(index) });
    return header?.obstacleOffsets.find(({ body }) => body === "ball")?.offset[2] ?? 0;
  };
  const pixelsPerMetre = await page.locator("canvas.stage").evaluate((canvas) => canvas.clientHeight / (2 * 1.6 * Math.tan(Math.PI / 9)));
  const back = await distanceShare(page);
  await drag(x + (0.42 * pixelsPerMetre) / back, y + (0.38 * pixelsPerMetre) / back, 0, -60, async () => (await height()) > 0.05);
  const lifted = await stopped("moveObstacle");
  expect(await height(lifted + 30)).toBeCloseTo(await height(lifted), 6);

  // Column 0 of the 16 is held by the pin: all of it moves alike, to smaller x.
  const pinColumn = async (index?: number): Promise<Float32Array> => (await positions(name, index)).filter((_, i) => Math.floor(i / 3) % 16 === 0);
  const before = await pinColumn();
  const pinShifts = async (): Promise<Float32Array> => (await pinColumn()).map((x, i) => x - (before[i] ?? 0)).filter((_, i) => i % 3 === 0);
  await drag(x - (0.297 * pixelsPerMetre) / back, y, -40, 0, async () => Math.max(...(await pinShifts())) < -0.02);
  const shifts = await pinShifts();
  expect(Math.max(...shifts) - Math.min(...shifts)).toBeLessThan(1e-5);
  const pinned = await stopped("movePin");
  expect(furthest(await pinColumn(pinned), await pinColumn(pinned + 30))).toBeLessThan(1e-6);
  await server.api.sessions.cancel({ name });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("water is pushed with the brush the way it strokes, gravity is turned, and both are on record", async () => {
  const name = await start(server.api, stillWater);
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  const first = await waitForFrame(page, (frame) => frame > 3);
  const before = await positions(name, first);
  await page.getByRole("button", { name: "Push the water" }).click();
  const { x, y } = await middle(page);
  await page.mouse.move(x - 40, y);
  await page.mouse.down();
  await page.mouse.move(x + 40, y, { steps: 10 });
  await keepScreenshot(page, "pushing");
  await page.waitForTimeout(400);
  await page.mouse.up();
  await recorded(server.api, name, "pushFluid");
  const begun = (await recordedActions(server.api, name)).find(({ action }) => action.case === "pushFluid")?.frame ?? Number.NaN;
  // Before the water comes to a wall and back.
  await waitForFrame(page, (frame) => frame > begun + 12);
  const after = await positions(name, begun + 12);
  const drift = [0, 1, 2].map((axis) => {
    let sum = 0;
    for (let i = axis; i < after.length; i += 3) sum += (after[i] ?? 0) - (before[i] ?? 0);
    return sum / (after.length / 3);
  });
  expect(drift[0]).toBeGreaterThan(1e-4); // To the right, as the hand went.
  expect(Math.abs(drift[2] ?? 0)).toBeLessThan((drift[0] ?? 0) / 5);

  await page.getByRole("tab", { name: "Steer" }).click();
  await page.getByRole("button", { name: "down", exact: true }).click();
  await page.getByText(/acts from frame \d+ on/).waitFor();
  // The words may still be the push's.
  await recorded(server.api, name, "setGravity");
  const actions = (await recordedActions(server.api, name)).map(({ action }) => action);
  const pushes = actions.flatMap((action) => (action.case === "pushFluid" ? [action.value] : []));
  expect(pushes.length).toBeGreaterThan(0);
  expect(Math.hypot(...(pushes[0]?.center ?? [9]))).toBeLessThan(0.3); // In the water.
  const last = actions[actions.length - 1];
  expect(last?.case === "setGravity" && last.value.gravity.map((g) => Number(g.toFixed(2)))).toEqual([0, 0, -9.81]);
  await server.api.sessions.cancel({ name });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("the simulation is paused, stepped and resumed from the page", async () => {
  const name = await start(server.api, stillSheet);
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  await waitForFrame(page, (frame) => frame > 3);
  const controls = page.getByRole("group", { name: "Simulation" });
  await controls.getByRole("button", { name: "Pause" }).click();
  await controls.getByRole("button", { name: "Step" }).waitFor();
  const { frameCount } = await server.api.sessions.get({ name });
  await controls.getByRole("button", { name: "Step" }).click();
  await waitForFrame(page, (frame) => frame === Number(frameCount));
  expect((await server.api.sessions.get({ name })).frameCount).toBe(frameCount + 1n);
  await controls.getByRole("button", { name: "Resume" }).click();
  await waitForFrame(page, (frame) => frame > Number(frameCount) + 3);
  await controls.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel the simulation" }).click();
  await page.getByText("cancelled").waitFor();
  expect((await server.api.sessions.get({ name })).state).toBe(SessionState.CANCELLED);
  await keepScreenshot(page, "cancelled");
  expect(errors).toEqual([]);
  await page.context().close();
});
