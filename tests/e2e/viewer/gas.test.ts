// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { difference, keepScreenshot, launchBrowser, middle, openPage, picture, waitForFrame } from "./browser";
import { recorded, recordedActions } from "./recorded";
import { adaptiveSmoke, dyeBox, smoke, start } from "./scenes";
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

/** What is in the picture of the page around a point, as PNG. */
function around(page: Page, x: number, y: number, width: number, height: number): Promise<Buffer> {
  return page.screenshot({ clip: { x: x - width / 2, y: y - height / 2, width, height }, animations: "disabled" });
}

test("a stroke with the pointer leaves dye where it went, and is on record", async () => {
  // Paused: the solver is faster than the hand, and would have carried the dye away.
  const name = await start(server.api, dyeBox, { startPaused: true });
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  await waitForFrame(page, (frame) => frame === 0);
  await page.getByRole("button", { name: "Paint" }).click();
  const { x, y } = await middle(page);
  const along = (): Promise<Buffer> => around(page, x, y, 80, 8);
  const apart = (): Promise<Buffer> => around(page, x, y - 150, 80, 20);
  await page.mouse.move(x - 50, y + 190);  // The brush's circle is out of the way.
  const before = { along: await along(), apart: await apart() };

  await page.mouse.move(x - 60, y);
  await page.mouse.down();
  await page.mouse.move(x + 60, y, { steps: 12 });
  await page.mouse.up();
  await recorded(server.api, name, "strokeGas", (action) => action.case === "strokeGas" && (action.value.to[0] ?? 0) > 0.55);
  await page.mouse.move(x - 50, y + 190);
  await server.api.sessions.step({ name, frameCount: 2n });
  await waitForFrame(page, (shown) => shown === 2);
  await page.waitForTimeout(300);
  await keepScreenshot(page, "painted");
  expect(await difference(browser, before.along, await along())).toBeGreaterThan(0.5);
  expect(await difference(browser, before.apart, await apart())).toBeLessThan(0.01);

  const strokes = (await recordedActions(server.api, name)).flatMap(({ action }) => (action.case === "strokeGas" ? [action.value] : []));
  const [first] = strokes;
  // One part begins where the one before ends: to the right, through the middle, in the plane of the flow.
  strokes.forEach((stroke, i) => expect(stroke.from).toEqual(i === 0 ? first?.from : strokes[i - 1]?.to));
  expect(first?.from[0]).toBeLessThan(0.45);
  expect(strokes[strokes.length - 1]?.to[0]).toBeGreaterThan(0.55);
  for (const { from, to, content } of strokes) {
    expect([from[1], to[1]].map((far) => far?.toFixed(6))).toEqual(["0.025000", "0.025000"]);
    expect(Math.abs((to[2] ?? 0) - 0.5)).toBeLessThan(0.01);
    expect(content?.dye.length).toBe(3);
    expect(content?.smoke).toBeUndefined();
  }
  expect(Math.max(...strokes.map(({ content }) => content?.velocity[0] ?? 0))).toBeGreaterThan(0);

  await page.getByRole("button", { name: "XZ" }).click();
  await page.mouse.move(x, y);
  await page.getByTestId("readout").filter({ hasText: /Dye \S+, \S+, \S+/ }).waitFor();
  await server.api.sessions.cancel({ name });
  expect(errors).toEqual([]);
  await page.context().close();
});

test("smoke in three dimensions is seen as it rises, and saved with its shape", async () => {
  const name = await start(server.api, smoke, { startPaused: true });
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  await waitForFrame(page, (frame) => frame === 0);
  await page.waitForTimeout(500);
  const clear = await picture(page);
  await page.getByRole("button", { name: "Resume" }).click();
  const shown = async (frame: number): Promise<Buffer> => {
    await page.getByLabel("Frame", { exact: true }).fill(String(frame));
    await waitForFrame(page, (index) => index === frame);
    await page.waitForTimeout(500);
    return picture(page);
  };
  await waitForFrame(page, (frame) => frame === 60);
  const last = await shown(60);
  await keepScreenshot(page, "smoke");
  expect(await difference(browser, clear, last)).toBeGreaterThan(0.01);
  expect(await difference(browser, await shown(20), last)).toBeGreaterThan(0.005);

  await page.getByRole("button", { name: "Download this frame" }).click();
  expect(await page.getByRole("menuitem", { name: /PLY/ }).count()).toBe(0);
  const coming = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: /NumPy/ }).click();
  expect(readFileSync(await (await coming).path()).toString("latin1")).toMatch(/air\.smoke\.npy[^]*'shape': \(24, 24, 24\)/);

  await page.getByRole("button", { name: "XZ" }).click();
  await page.waitForTimeout(500);
  await keepScreenshot(page, "smoke_2d");
  const { x, y } = await middle(page);
  await page.mouse.move(x, y + 100);
  await page.getByTestId("readout").filter({ hasText: /Smoke \d/ }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("cells of many sizes are seen, and counted by size", async () => {
  const name = await start(server.api, adaptiveSmoke);
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  await waitForFrame(page, (frame) => frame === 20);
  await page.getByRole("button", { name: "XZ" }).click();
  await page.waitForTimeout(500);
  const without = await picture(page);
  await page.getByRole("switch", { name: "Edges of meshes and cells" }).check();
  await page.waitForTimeout(500);
  const edges = await picture(page);
  await keepScreenshot(page, "cells");
  expect(await difference(browser, without, edges)).toBeGreaterThan(0.01);
  await page.getByRole("combobox", { name: "Field" }).selectOption("Cell level");
  await page.waitForTimeout(500);
  await keepScreenshot(page, "cell_levels");
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  await page.getByTestId("readout").filter({ hasText: /Cell level 0/ }).waitFor();

  await page.getByRole("tab", { name: "Statistics" }).click();
  await page.getByText(/[0-9,]+ in place of 4,096/).waitFor();
  await page.getByText("4 times as large").waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
