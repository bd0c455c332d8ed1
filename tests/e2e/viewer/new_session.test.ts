// SPDX-License-Identifier: Apache-2.0
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keepScreenshot, launchBrowser, openPage, waitForFrame } from "./browser";
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

const mesh = "v -0.2 -0.2 0\nv 0.2 -0.2 0\nv 0.2 0.2 0\nv -0.2 0.2 0\nf 1 2 3\nf 1 3 4\n";

function scene(areaDensity: number): string {
  return `{
  // A sheet of two triangles falls.
  "name": "Dropped",
  "domain": {"lower": [-1, -1, 0], "upper": [1, 1, 1]},
  "timing": {"frame_count": 5},
  "cloths": [{
    "name": "sheet", "mesh": "meshes/two.obj", "transform": {"translation": [0, 0, 0.5]},
    "area_density": ${areaDensity},
  }],
}
`;
}

/** Drops files on the page as a person would from their folder. */
async function drop(page: Page, files: readonly { name: string; text: string }[]): Promise<void> {
  const transfer = await page.evaluateHandle((given) => {
    const data = new DataTransfer();
    for (const { name, text } of given) data.items.add(new File([text], name));
    return data;
  }, files);
  await page.locator(".drop-zone").dispatchEvent("dragover", { dataTransfer: transfer });
  await page.locator(".drop-zone").dispatchEvent("drop", { dataTransfer: transfer });
}

test("a scene and its mesh are dropped, a problem shows at its field, and the mended scene runs", async () => {
  const { page, errors } = await openPage(browser, `${server.url}/new`);
  await page.getByText("Ready to run").waitFor();

  // Without its mesh.
  await drop(page, [{ name: "dropped.json", text: scene(-1) }]);
  const problems = page.locator(".problems");
  await problems.getByText("Drop the file two.obj here").waitFor();
  expect(await page.getByRole("button", { name: "Start the simulation" }).isDisabled()).toBe(true);

  // With its mesh, and a negative mass.
  await drop(page, [{ name: "two.obj", text: mesh }]);
  await page.locator(".mesh.ready").waitFor();
  await problems.getByText("Drop the file").waitFor({ state: "detached" });
  await problems.getByText("cloths[0].area_density").waitFor();
  // The editor marks the number itself.
  expect(await page.locator(".cm-lintRange-error").allTextContents()).toContain("-1");
  await problems.getByRole("button").first().click();
  await keepScreenshot(page, "problem_at_its_field");

  await drop(page, [{ name: "dropped.json", text: scene(0.5) }]);
  await page.getByText("Ready to run").waitFor();
  await page.getByLabel("Name").fill("From the browser");
  await page.getByRole("button", { name: "Start the simulation" }).click();
  await page.waitForURL(/\/sessions\/[a-z0-9-]+/);
  await waitForFrame(page, (frame) => frame === 5);
  await page.getByRole("heading", { name: "From the browser" }).waitFor();
  await page.getByText("succeeded").waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("an example starts with one more click, its mesh uploaded by itself", async () => {
  const { page, errors } = await openPage(browser, `${server.url}/new`);
  const card = page.getByRole("button", { name: /water on sloped cloth/i });
  await card.click();
  expect(await page.getByRole("button", { pressed: true }).count()).toBe(1);
  expect(await card.getAttribute("aria-pressed")).toBe("true");
  // It has the scene's picture.
  await expect.poll(() => card.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(320);
  await page.locator(".mesh.ready").waitFor();
  await page.getByText("Ready to run").waitFor();
  await keepScreenshot(page, "example");
  await page.getByLabel("Frames").fill("2");
  await page.getByRole("button", { name: "Start the simulation" }).click();
  await waitForFrame(page, (frame) => frame === 2, 100);
  await keepScreenshot(page, "example_running");
  expect(errors).toEqual([]);
  await page.context().close();
});
