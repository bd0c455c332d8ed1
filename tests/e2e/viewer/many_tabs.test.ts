// SPDX-License-Identifier: Apache-2.0
// A browser holds six connections to a server over HTTP/1.1, all its tabs together: what lasts must not be among them.
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser, waitForFrame } from "./browser";
import { splash, start } from "./scenes";
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

const tabCount = 20;
/** Hardly any work: twenty pages share the machine. Most hold still, and their pages with them, until somebody asks for a frame. */
const drop = { ...splash, timing: { frame_count: 100_000, frames_per_second: 60 }, fluid_grid: { cell_size: 0.1 } };

/** Connections that the server has open, of any kind, as it counts them. */
async function heldConnections(): Promise<number> {
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  return Number(/^sluice_http_connections (\d+)/m.exec(metrics)?.[1]);
}

async function openOn(context: BrowserContext, name: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${server.url}/${name}`);
  return page;
}

test("twenty tabs get frames, half of them of one session and half of others, and one more page loads", async () => {
  const context = await browser.newContext({ viewport: { width: 240, height: 180 } });
  const paused = { startPaused: true };
  const shared = await start(server.api, { ...drop, name: "Shared" }, paused);
  const others = await Promise.all(Array.from({ length: tabCount / 2 }, () => start(server.api, drop, paused)));
  const names = others.flatMap((name) => [shared, name]);
  const pages: Page[] = [];
  for (const name of names) pages.push(await openOn(context, name));
  await Promise.all(pages.map((page) => waitForFrame(page, () => true, 120)));

  // Frames that come to be long after the last page was opened reach all: none stands still because of the others.
  await Promise.all([shared, ...others].map((name) => server.api.sessions.step({ name, frameCount: 3n })));
  await Promise.all(pages.map((page) => waitForFrame(page, (frame) => frame === 3, 120)));
  // While one page's session runs as fast as it can, so do those of the others that watch it, and the rest still gets its own.
  await server.api.sessions.resume({ name: shared });
  await server.api.sessions.step({ name: others[0] ?? "", frameCount: 1n });
  await Promise.all(pages.map((page, i) => waitForFrame(page, (frame) => (i % 2 === 0 ? frame >= 6 : i > 1 || frame === 4), 120)));
  await server.api.sessions.pause({ name: shared });

  const list = await context.newPage();
  await list.goto(server.url);
  await list.getByRole("link", { name: /Shared/ }).waitFor();
  // Calls of a page's own work too, and what came of them shows in the others.
  await pages[0]?.getByRole("button", { name: "Resume" }).click();
  await pages[2]?.getByRole("button", { name: "Pause" }).click();
  await pages[4]?.getByRole("button", { name: "Resume" }).waitFor();

  // Two sockets a tab, and what HTTP keeps for later, of the browser and of this test. What is closed is given back.
  expect(await heldConnections()).toBeLessThanOrEqual(2 * tabCount + 12);
  await Promise.all(pages.slice(1).map((page) => page.close()));
  await expect.poll(heldConnections, { timeout: 30_000 }).toBeLessThanOrEqual(2 + 12);
  await context.close();
}, 300_000);
