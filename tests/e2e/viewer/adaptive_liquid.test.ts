// SPDX-License-Identifier: Apache-2.0
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { difference, keepScreenshot, launchBrowser, middle, openPage, waitForFrame } from "./browser";
import { adaptiveTank, start } from "./scenes";
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
function around(page: Page, x: number, y: number): Promise<Buffer> {
  return page.screenshot({ clip: { x: x - 20, y: y - 20, width: 40, height: 40 }, animations: "disabled" });
}

// The lower half of the tank has no particles, and is seen all the same, from the side and in a plane.
test("a tank whose inside has no particles is full, and its cells are counted by size", async () => {
  const name = await start(server.api, adaptiveTank);
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  await waitForFrame(page, (frame) => frame === 4);
  await keepScreenshot(page, "adaptive_tank");
  const { x, y } = await middle(page);
  await page.getByRole("button", { name: "XZ" }).click();
  await page.waitForTimeout(500);
  await keepScreenshot(page, "adaptive_tank_xz");
  const air = await around(page, x, y - 220);
  expect(await difference(browser, await around(page, x, y + 100), air)).toBeGreaterThan(0.1);
  await page.getByRole("tab", { name: "Statistics" }).click();
  await page.getByText("Cells of the smallest").waitFor();
  await page.getByText("4 times as large").waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});
