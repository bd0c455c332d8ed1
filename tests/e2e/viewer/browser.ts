// SPDX-License-Identifier: Apache-2.0
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";

const drawInSoftware = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

export function launchBrowser(drawing: readonly string[] = drawInSoftware): Promise<Browser> {
  return chromium.launch({ executablePath: process.env["SLUICE_CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox", ...drawing] });
}

/** A page whose errors fail the test: what it threw is in `errors`. */
export async function openPage(browser: Browser, address: string): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 640 }, colorScheme: "dark" });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(address);
  return { page, errors };
}

/** Kept in the build folder, to be looked at. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["SLUICE_SCREENSHOTS"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** The frame that the page says it shows; -1 while there is none. */
export async function shownFrame(page: Page): Promise<number> {
  const waiting = await page.locator(".waiting").count();
  return waiting > 0 ? -1 : Number(await page.getByTestId("frame").textContent());
}

/** Waits until the page shows a frame for which `fits` holds, and answers with it. */
export async function waitForFrame(page: Page, fits: (frame: number) => boolean, seconds = 60): Promise<number> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const frame = await shownFrame(page);
    if (frame >= 0 && fits(frame)) return frame;
    if (Date.now() > end) throw new Error(`after ${seconds} s the page shows frame ${frame}`);
    await page.waitForTimeout(50);
  }
}

/** The middle of the canvas, in pixels of the page. */
export async function middle(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.locator("canvas.stage").boundingBox();
  if (box === null) throw new Error("the page has no canvas");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** A picture of the canvas alone, as PNG. */
export async function picture(page: Page): Promise<Buffer> {
  const box = await page.locator("canvas.stage").boundingBox();
  if (box === null) throw new Error("the page has no canvas");
  // Without what lies over its edges.
  const clip = { x: box.x + 4, y: box.y + 60, width: box.width - 8, height: box.height - 150 };
  return page.screenshot({ clip, animations: "disabled" });
}

/** The share of pixels in which two pictures of one size differ visibly. */
export async function difference(browser: Browser, a: Buffer, b: Buffer): Promise<number> {
  const page = await browser.newPage();
  try {
    return await page.evaluate(async (pictures) => {
      const pixels = await Promise.all(pictures.map(async (base64) => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
        const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
        if (context === null) throw new Error("no 2D canvas");
        context.drawImage(bitmap, 0, 0);
        return context.getImageData(0, 0, bitmap.width, bitmap.height).data;
      }));
      const [first, second] = pixels;
      if (first === undefined || first.length !== second?.length) throw new Error("the pictures are of different sizes");
      let different = 0;
      for (let i = 0; i < first.length; i += 4) {
        const change = [0, 1, 2].reduce((sum, c) => sum + Math.abs((first[i + c] ?? 0) - (second[i + c] ?? 0)), 0);
        if (change > 24) ++different;
      }
      return different / (first.length / 4);
    }, [a.toString("base64"), b.toString("base64")]);
  } finally {
    await page.close();
  }
}
