// SPDX-License-Identifier: Apache-2.0
// What a session's page has beside its picture: its scene, its figures as files, its warnings, and its end.
import { readFileSync } from "node:fs";
import type { Browser, Download, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WarningKind } from "@viewer/gen/sluice/v1/frames_pb";
import { keepScreenshot, launchBrowser, openPage, waitForFrame } from "./browser";
import { splash, start } from "./scenes";
import { Server } from "./server";
import { sayWarnings, type Warnings } from "./warnings";

let server: Server;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([Server.start(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

const short = { ...splash, timing: { frame_count: 20, frames_per_second: 60 } };

async function download(page: Page, act: () => Promise<void>): Promise<Download> {
  const coming = page.waitForEvent("download");
  await act();
  return coming;
}

describe("a session that is not there", () => {
  test("has a page that says so, with ways back", async () => {
    const { page, errors } = await openPage(browser, `${server.url}/sessions/no-such-session`);
    await page.getByRole("heading", { name: "There is no such session" }).waitFor();
    await page.getByText("sessions/no-such-session").waitFor();
    await keepScreenshot(page, "missing_session");
    await page.getByRole("link", { name: "All sessions" }).click();
    await page.getByRole("heading", { name: "Sessions", exact: true }).waitFor();
    await page.goto(`${server.url}/sessions/No_Session`);
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    expect(errors).toEqual([]);
    await page.context().close();
  });

  test("says that it was deleted to whoever watches it, while it runs and when it has ended", async () => {
    const running = await start(server.api, { ...splash, timing: { frame_count: 100_000, frames_per_second: 60 } });
    const ended = await start(server.api, short);
    const { page: live } = await openPage(browser, `${server.url}/${running}`);
    const { page: still } = await openPage(browser, `${server.url}/${ended}`);
    await waitForFrame(live, () => true);
    await still.getByText("succeeded").waitFor();
    await Promise.all([running, ended].map((name) => server.api.sessions.delete({ name })));
    for (const page of [live, still]) {
      await page.getByRole("heading", { name: "This session was deleted" }).waitFor();
      await page.getByText(/Splash/).waitFor();
      await page.context().close();
    }
  });
});

test("its scene can be read, duplicated, changed and run", async () => {
  const name = await start(server.api, short);
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  await waitForFrame(page, (frame) => frame === 20);
  await page.getByRole("tab", { name: "Session" }).click();
  await page.getByText("Text", { exact: true }).click();
  expect(await page.getByTestId("scene-text").textContent()).toContain('"frame_count": "20"');
  await keepScreenshot(page, "scene_text");
  const saved = await download(page, () => page.getByRole("button", { name: "Save", exact: true }).click());
  expect(JSON.parse(readFileSync(await saved.path(), "utf8"))).toMatchObject({ name: "Splash", fluids: [{ name: "water" }] });

  await page.getByRole("link", { name: "Duplicate and edit" }).click();
  await page.getByText("Ready to run").waitFor();
  const editor = page.locator(".cm-content");
  expect(await editor.textContent()).toContain('"cell_size": 0.04');
  await editor.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(JSON.stringify({ ...short, name: "Splash, changed", timing: { frame_count: 3 } }));
  await page.getByText("Ready to run").waitFor();
  await page.getByRole("button", { name: "Start the simulation" }).click();
  await waitForFrame(page, (frame) => frame === 3);
  await page.getByRole("heading", { name: "Splash, changed" }).waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("its figures are saved as a table of every frame, and its plots as a picture", async () => {
  const name = await start(server.api, short);
  const { page, errors } = await openPage(browser, `${server.url}/${name}`);
  await page.getByText("succeeded").waitFor();
  await page.reload(); // So that the page has seen few of the frames itself.
  await waitForFrame(page, (frame) => frame === 20);
  await page.getByRole("tab", { name: "Statistics" }).click();
  const table = await download(page, () => page.getByRole("button", { name: "Save as CSV" }).click());
  expect(table.suggestedFilename()).toMatch(/^[a-z0-9-]+_statistics\.csv$/);
  const [head = "", ...rows] = readFileSync(await table.path(), "utf8").trimEnd().split("\r\n");
  expect(head.split(",").slice(0, 3)).toEqual(["frame", "time_seconds", "kinetic_energy_joules"]);
  expect(rows.map((row) => Number(row.split(",")[0]))).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  const { header } = await server.api.frames.get({ session: name, cursor: { epoch: 0n, index: 7n } });
  expect(Number(rows[6]?.split(",")[2])).toBe(header?.statistics?.kineticEnergy);

  const plots = await download(page, () => page.getByRole("button", { name: "Save as PNG" }).click());
  const png = readFileSync(await plots.path());
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1200, 40 + 6 * 380]);
  const folder = process.env["SLUICE_SCREENSHOTS"];
  if (folder !== undefined) await plots.saveAs(`${folder}/plots_saved.png`);
  expect(errors).toEqual([]);
  await page.context().close();
});

test("its warnings are counted in the list, listed in its panel as they appear, and lead to their frame", async () => {
  const name = await start(server.api, { ...splash, name: "Doubtful" }, { startPaused: true });
  const volume = {
    warning: { kind: WarningKind.VOLUME_LOST, body: "water", message: "The water takes 61 % of the room that its particles stand for." },
    firstFrameIndex: 2n, lastFrameIndex: 9n, frameCount: 5n,
  };
  const residual = { warning: { kind: WarningKind.NOT_CONVERGED, message: "The residual is 0.5." }, firstFrameIndex: 3n, lastFrameIndex: 3n, frameCount: 1n };
  let said: Warnings = [volume];
  const { page, errors } = await openPage(browser, "about:blank");
  await sayWarnings(page, () => said);
  await page.goto(server.url);
  const row = page.getByRole("link", { name: /Doubtful/ });
  await row.getByText("1 warning", { exact: true }).waitFor();
  await keepScreenshot(page, "warnings_in_list");
  await row.click();
  await waitForFrame(page, () => true);
  await page.getByRole("button", { name: "1 warning" }).click();
  const listed = page.getByTestId("warnings");
  await listed.getByText("Volume lost: water").waitFor();
  await listed.getByText("in 5 frames from 2 to 9").waitFor();
  said = [volume, residual];
  await server.api.sessions.step({ name, frameCount: 5n });
  await listed.getByText("Not converged").waitFor();
  await page.getByRole("button", { name: "2 warnings" }).waitFor();
  await waitForFrame(page, (frame) => frame === 5);
  await listed.getByRole("button", { name: /Volume lost/ }).click();
  await waitForFrame(page, (frame) => frame === 2);
  await keepScreenshot(page, "warnings");
  await server.api.sessions.cancel({ name });
  expect(errors).toEqual([]);
  await page.context().close();
});
