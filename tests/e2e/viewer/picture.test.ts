// SPDX-License-Identifier: Apache-2.0
// The picture when the graphics are taken away, and of scenes that are tiny, large or far from the origin.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { difference, keepScreenshot, launchBrowser, middle, openPage, picture, waitForFrame } from "./browser";
import { ballOnBlock, insectInHall, start, tinyDrop } from "./scenes";
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

/** The picture once it stands still with all its pixels. */
async function stillPicture(page: Page): Promise<Buffer> {
  await page.waitForTimeout(900);
  return picture(page);
}

async function drag(page: Page, right: number, down: number): Promise<void> {
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + right, y + down, { steps: 6 });
  await page.mouse.up();
}

/** The address that the page has once it has followed the view. */
async function addressOf(page: Page): Promise<string> {
  await page.waitForTimeout(700);
  return page.url();
}

describe("graphics that are taken away", () => {
  /** Takes the context as the system does, for example when a driver starts again. */
  async function loseContext(page: Page): Promise<void> {
    await page.evaluate(() => {
      const context = document.querySelector<HTMLCanvasElement>("canvas.stage")?.getContext("webgl2");
      const extension = context?.getExtension("WEBGL_lose_context");
      extension?.loseContext();
      Object.assign(globalThis, { giveBack: () => extension?.restoreContext() });
    });
  }

  test("are told of, and the picture is back as it was when they are, or when somebody asks", async () => {
    const name = await start(server.api, tinyDrop);
    const { page, errors } = await openPage(browser, `${server.url}/${name}?frame=4`);
    await waitForFrame(page, (frame) => frame === 4);
    await drag(page, 40, 25);
    const before = await stillPicture(page);

    await loseContext(page);
    await page.getByTestId("graphics-lost").waitFor();
    await keepScreenshot(page, "graphics_lost");
    expect(await difference(browser, before, await picture(page))).toBeGreaterThan(0.02);
    await page.evaluate("giveBack()");
    await page.getByTestId("graphics-lost").waitFor({ state: "detached" });
    // No other frame came, and nobody moved anything.
    expect(await difference(browser, before, await stillPicture(page))).toBeLessThan(0.002);

    await loseContext(page);
    await page.getByRole("button", { name: "Draw again" }).click();
    expect(await page.getByTestId("graphics-lost").count()).toBe(0);
    expect(await difference(browser, before, await stillPicture(page))).toBeLessThan(0.002);
    await page.keyboard.press("ArrowLeft");
    await waitForFrame(page, (frame) => frame === 3);
    await drag(page, 60, 0);
    expect(await difference(browser, before, await stillPicture(page))).toBeGreaterThan(0.01);
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe("scenes of every size and place", () => {
  test("a ball of 5 mm in a hall of 400 m is found with the wheel, and is round", async () => {
    const name = await start(server.api, insectInHall);
    const { page, errors } = await openPage(browser, `${server.url}/${name}?frame=0`);
    await waitForFrame(page, () => true);
    const { x, y } = await middle(page);
    await page.mouse.move(x, y);
    for (let i = 0; i < 84; ++i) await page.mouse.wheel(0, -240);
    const insect = page.getByRole("switch", { name: "insect" });
    const shareOfInsect = async (): Promise<number> => {
      const shown = await stillPicture(page);
      await insect.uncheck();
      const hidden = await stillPicture(page);
      await insect.check();
      return difference(browser, shown, hidden);
    };
    await keepScreenshot(page, "insect_by_wheel");
    expect(await shareOfInsect()).toBeGreaterThan(0.02);

    // From 30 mm its silhouette has a radius of tan(asin(5/30)) / tan(20 degrees) of half the canvas's height.
    await page.goto(`${server.url}/${name}?frame=0&camera=200,199.97,100,200,200,100`);
    await waitForFrame(page, () => true);
    const share = await shareOfInsect();
    await keepScreenshot(page, "insect");
    const box = await page.locator("canvas.stage").boundingBox();
    if (box === null) throw new Error("the page has no canvas");
    const radius = (Math.tan(Math.asin(5 / 30)) / Math.tan(Math.PI / 9)) * (box.height / 2);
    const expected = (Math.PI * radius ** 2) / ((box.width - 8) * (box.height - 150));
    expect(share / expected).toBeGreaterThan(0.9);
    expect(share / expected).toBeLessThan(1.1);
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test("10 cm, 9 km from the origin, look as at the origin, and their address gives the same view back", async () => {
    const [near, far] = await Promise.all([start(server.api, ballOnBlock([0, 0, 0])), start(server.api, ballOnBlock([9000, -9000, 8000]))]);
    const { page: atOrigin } = await openPage(browser, `${server.url}/${near}?frame=0&camera=0.08,-0.16,0.12,0,0,0.04`);
    await waitForFrame(atOrigin, () => true);
    const wanted = await stillPicture(atOrigin);
    const { page, errors } = await openPage(browser, `${server.url}/${far}?frame=0&camera=9000.08,-9000.16,8000.12,9000,-9000,8000.04`);
    await waitForFrame(page, () => true);
    expect(await difference(browser, wanted, await stillPicture(page))).toBeLessThan(0.01);
    await keepScreenshot(page, "far");

    await drag(page, 130, 60);
    const turned = await stillPicture(page);
    expect(await difference(browser, wanted, turned)).toBeGreaterThan(0.02);
    const { page: linked } = await openPage(browser, await addressOf(page));
    await waitForFrame(linked, () => true);
    expect(await difference(browser, turned, await stillPicture(linked))).toBeLessThan(0.002);
    expect(errors).toEqual([]);
    for (const one of [atOrigin, page, linked]) await one.context().close();
  });

  test("a drop of 3 mm follows the smallest turn, and its address gives the same view back", async () => {
    const name = await start(server.api, tinyDrop);
    const { page, errors } = await openPage(browser, `${server.url}/${name}?frame=0`);
    await waitForFrame(page, () => true);
    const before = await stillPicture(page);
    await drag(page, 14, 0);
    const turned = await stillPicture(page);
    await keepScreenshot(page, "tiny");
    expect(await difference(browser, before, turned)).toBeGreaterThan(0.002);
    const { page: linked } = await openPage(browser, await addressOf(page));
    await waitForFrame(linked, () => true);
    expect(await difference(browser, turned, await stillPicture(linked))).toBeLessThan(0.002);
    expect(errors).toEqual([]);
    for (const one of [page, linked]) await one.context().close();
  });
});
