// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Codec, Field } from "@viewer/gen/sluice/v1/frames_pb";
import { SessionState } from "@viewer/gen/sluice/v1/sessions_pb";
import { difference, keepScreenshot, launchBrowser, openPage, picture, waitForFrame } from "./browser";
import { splash, start, tap } from "./scenes";
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

async function waitForState(name: string, state: SessionState): Promise<void> {
  for (let i = 0; i < 600; ++i) {
    if ((await server.api.sessions.get({ name })).state === state) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${name} does not become ${SessionState[state]}`);
}

describe("a session's page", () => {
  test("opens from the list, shows a picture, and follows the session to its last frame", async () => {
    await start(server.api, splash, { startPaused: true });
    const { page, errors } = await openPage(browser, server.url);
    await page.getByRole("link", { name: /Splash/ }).waitFor();
    await keepScreenshot(page, "sessions");
    await page.getByRole("link", { name: /Splash/ }).click();
    await waitForFrame(page, (frame) => frame === 0);
    await page.waitForTimeout(300);
    const early = await picture(page);
    await page.getByRole("button", { name: "Resume" }).click();
    await waitForFrame(page, (frame) => frame === 90);
    await page.getByText("succeeded").waitFor();
    await page.waitForTimeout(300);
    const last = await picture(page);
    expect(await difference(browser, early, last)).toBeGreaterThan(0.01);
    await keepScreenshot(page, "last_frame");
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test("shows particles that come and go, live and by scrubbing", async () => {
    const name = await start(server.api, tap, { startPaused: true });
    const { page, errors } = await openPage(browser, `${server.url}/${name}?camera=0.9,-0.9,0.7,0,0,0.3`);
    await waitForFrame(page, (frame) => frame === 0);
    await page.waitForTimeout(300);
    const dry = await picture(page);
    await page.getByRole("button", { name: "Resume" }).click();
    await waitForFrame(page, (frame) => frame === 60);
    await page.waitForTimeout(300);
    const wet = await picture(page);
    expect(await difference(browser, dry, wet)).toBeGreaterThan(0.01);
    await keepScreenshot(page, "tap");
    await page.getByLabel("Frame", { exact: true }).fill("0");
    await waitForFrame(page, (frame) => frame === 0);
    await page.waitForTimeout(300);
    expect(await difference(browser, dry, await picture(page))).toBeLessThan(0.01);
    await page.getByLabel("Frame", { exact: true }).fill("60");
    await waitForFrame(page, (frame) => frame === 60);
    await page.waitForTimeout(300);
    expect(await difference(browser, wet, await picture(page))).toBeLessThan(0.02); // The colours' range follows slowly.
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test("shows a stored frame the same way however one comes to it: by address, by scrubbing, by playing", async () => {
    const name = await start(server.api, splash);
    await waitForState(name, SessionState.SUCCEEDED);
    const address = `${server.url}/${name}?frame=40&camera=0.9,-0.9,0.7,0.3,0.2,0.2`;
    const { page, errors } = await openPage(browser, address);
    await waitForFrame(page, (frame) => frame === 40);
    await page.waitForTimeout(500);
    const byAddress = await picture(page);

    await page.getByLabel("Frame", { exact: true }).fill("70");
    await waitForFrame(page, (frame) => frame === 70);
    expect(await difference(browser, byAddress, await picture(page))).toBeGreaterThan(0.01);
    await page.getByLabel("Frame", { exact: true }).fill("38");
    await waitForFrame(page, (frame) => frame === 38);
    await page.locator("canvas.stage").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await waitForFrame(page, (frame) => frame === 40);
    await page.waitForTimeout(300);
    expect(await difference(browser, byAddress, await picture(page))).toBeLessThan(0.02); // The colours' range follows slowly.

    await page.keyboard.press("Home");
    await waitForFrame(page, (frame) => frame === 0);
    await page.keyboard.press(" ");
    await waitForFrame(page, (frame) => frame === 90);
    expect(new URL(page.url()).searchParams.get("frame")).toMatch(/^\d+$/);
    await keepScreenshot(page, "scrubbed");
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test("is at the same frame and camera after a reload in the middle of a run, and goes on live", async () => {
    const name = await start(server.api, { ...splash, timing: { frame_count: 100_000, frames_per_second: 60 } });
    const { page, errors } = await openPage(browser, `${server.url}/${name}`);
    const before = await waitForFrame(page, (frame) => frame > 5);
    await page.waitForURL((url) => url.searchParams.has("camera"));
    const camera = new URL(page.url()).searchParams.get("camera");
    await page.reload();
    await waitForFrame(page, (frame) => frame > before);
    await page.waitForTimeout(600); // The address follows the picture.
    expect(new URL(page.url()).searchParams.get("camera")).toBe(camera);
    expect(new URL(page.url()).searchParams.has("frame")).toBe(false); // Still live.

    await page.locator("canvas.stage").focus();
    await page.keyboard.press("ArrowLeft");
    await page.waitForURL((url) => url.searchParams.has("frame"));
    const stood = Number(new URL(page.url()).searchParams.get("frame"));
    await page.reload();
    expect(await waitForFrame(page, () => true)).toBe(stood);
    await server.api.sessions.cancel({ name });
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test("is live in two tabs at once, and each is where its person put it", async () => {
    const name = await start(server.api, { ...splash, timing: { frame_count: 100_000, frames_per_second: 60 } });
    const { page: one, errors } = await openPage(browser, `${server.url}/${name}`);
    const two = await one.context().newPage();
    await two.goto(`${server.url}/${name}?frame=3`);
    await waitForFrame(two, (frame) => frame === 3);
    await one.bringToFront();
    const seen = await waitForFrame(one, (frame) => frame > 10);
    await two.bringToFront();
    await two.locator("canvas.stage").focus();
    await two.keyboard.press("l");
    await waitForFrame(two, (frame) => frame > seen);
    await one.bringToFront();
    await waitForFrame(one, (frame) => frame > seen);
    await server.api.sessions.cancel({ name });
    await one.getByText("cancelled").waitFor();
    expect(errors).toEqual([]);
    await one.context().close();
  });
});

test("a frame is saved as the solver gave it, bit for bit", async () => {
  const name = await start(server.api, splash);
  await waitForState(name, SessionState.SUCCEEDED);
  const { page, errors } = await openPage(browser, `${server.url}/${name}?frame=30`);
  await waitForFrame(page, (frame) => frame === 30);
  await page.getByRole("tab").first().waitFor();
  const exact = await server.api.frames.get({
    session: name, cursor: { epoch: 0n, index: 30n }, codec: Codec.F32, selection: { fields: [Field.VELOCITY] },
  });
  const bytes = Buffer.concat(exact.chunks.map((chunk) => chunk.data));
  const save = async (choice: RegExp): Promise<{ name: string; content: Buffer }> => {
    await page.getByRole("button", { name: "Download this frame" }).click();
    const coming = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: choice }).click();
    const download = await coming;
    return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
  };
  const archive = await save(/NumPy/);
  expect(archive.name).toMatch(/_000030\.npz$/);
  expect(archive.content.includes(bytes)).toBe(true);
  const ply = await save(/PLY/);
  expect(ply.name).toMatch(/_000030_water\.ply$/);
  expect(ply.content.toString("latin1")).toContain(`element vertex ${bytes.byteLength / 12}\n`);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("the 2D view reads off the field under the pointer", async () => {
  const name = await start(server.api, splash);
  await waitForState(name, SessionState.SUCCEEDED);
  const request = { session: name, cursor: { epoch: 0n, index: 30n }, codec: Codec.F32 };
  const numbers = async (field: Field): Promise<Float32Array> => {
    const { chunks } = await server.api.frames.get({ ...request, selection: { fields: [field] } });
    return new Float32Array(Uint8Array.from(Buffer.concat(chunks.map((chunk) => chunk.data))).buffer);
  };
  const [positions, velocities] = await Promise.all([numbers(Field.POSITION), numbers(Field.VELOCITY)]);
  const { page, errors } = await openPage(browser, `${server.url}/${name}?frame=30&view=xz`);
  await waitForFrame(page, (frame) => frame === 30);
  const box = await page.locator("canvas.stage").boundingBox();
  if (box === null) throw new Error("no canvas");
  const readings: { x: number; z: number; speed: number | undefined }[] = [];
  for (let i = 1; i < 12; ++i) {
    for (let j = 1; j < 8; ++j) {
      await page.mouse.move(box.x + (box.width * i) / 12, box.y + (box.height * j) / 8);
      const [, x, z, speed] = /x (\S+), z (\S+) m(?:–|Speed (\S+) m\/s)/.exec((await page.getByTestId("readout").textContent()) ?? "") ?? [];
      readings.push({ x: Number(x), z: Number(z), speed: speed === undefined ? undefined : Number(speed) });
    }
  }
  await keepScreenshot(page, "readout");
  const speedsAround = (x: number, z: number, radius: number): number[] =>
    [...Array(positions.length / 3).keys()]
      .filter((i) => Math.hypot((positions[3 * i] ?? 0) - x, (positions[3 * i + 2] ?? 0) - z) < radius)
      .map((i) => Math.hypot(velocities[3 * i] ?? 0, velocities[3 * i + 1] ?? 0, velocities[3 * i + 2] ?? 0));
  const inWater = readings.filter(({ speed }) => speed !== undefined);
  expect(inWater.length).toBeGreaterThan(3);
  expect(inWater.length).toBeLessThan(readings.length);
  for (const { x, z, speed = 0 } of inWater) {
    const around = speedsAround(x, z, 0.03);
    expect(speed).toBeGreaterThanOrEqual(Math.min(...around) * 0.99);
    expect(speed).toBeLessThanOrEqual(Math.max(...around) * 1.01);
  }
  for (const { x, z } of readings.filter(({ speed }) => speed === undefined)) expect(speedsAround(x, z, 0.005)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("a browser without WebGL says so, and shows the session's figures all the same", async () => {
  const blind = await launchBrowser(["--disable-3d-apis"]);
  try {
    const name = await start(server.api, splash);
    await waitForState(name, SessionState.SUCCEEDED);
    const { page, errors } = await openPage(blind, `${server.url}/${name}`);
    await page.getByRole("heading", { name: "This browser draws no WebGL 2" }).waitFor();
    await page.getByRole("tab", { name: "Statistics" }).click();
    await page.getByText("Energy", { exact: true }).waitFor();
    await keepScreenshot(page, "no_webgl");
    expect(errors).toEqual([]);
  } finally {
    await blind.close();
  }
});

test("the server is killed and comes back: the page says so, keeps its picture, and goes on", async () => {
  const name = await start(server.api, { ...splash, timing: { frame_count: 100_000, frames_per_second: 60 } });
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  const before = await waitForFrame(page, (frame) => frame > 12);
  await server.kill();
  await page.getByTestId("disconnected").waitFor();
  await keepScreenshot(page, "disconnected");
  expect(await page.getByTestId("frame").textContent()).not.toBe("0");
  await server.restart();
  await waitForFrame(page, (frame) => frame > before + 10);
  await page.getByTestId("disconnected").waitFor({ state: "detached" });
  await server.api.sessions.cancel({ name });
  expect(errors).toEqual([]);
  await page.context().close();
});
