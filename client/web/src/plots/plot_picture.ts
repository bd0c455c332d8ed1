// SPDX-License-Identifier: Apache-2.0
import { plainNumber } from "@viewer/words/numbers";
import { chartScale, decimate, type Series } from "./chart_data";

/** A chart that is to stand in a document. */
export interface PlotPicture {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
  readonly logarithmic: boolean;
}

const width = 1200;
const height = 380;
const margins = { left: 96, right: 24, top: 52, bottom: 44 };
/** The colours of the light theme, whatever the page has: the picture is for paper. */
const colours = ["#1673ab", "#b7640f", "#2e8145", "#7b4bab", "#b53a58", "#7c7512"];
const font = "16px system-ui, sans-serif";

/** The charts one below the other, with axes and names, as PNG. */
export async function plotsPng(heading: string, times: readonly number[], plots: readonly PlotPicture[]): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = 40 + plots.length * height;
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("the browser gives no canvas to draw the plots on");
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = "#1a232d";
  context.font = "600 18px system-ui, sans-serif";
  context.fillText(heading, margins.left, 28);
  plots.forEach((plot, i) => {
    context.save();
    context.translate(0, 40 + i * height);
    drawPlot(context, times, plot);
    context.restore();
  });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob === null ? reject(new Error("the browser could not write the picture")) : resolve(blob)), "image/png");
  });
}

function drawPlot(context: CanvasRenderingContext2D, times: readonly number[], plot: PlotPicture): void {
  const inner = { width: width - margins.left - margins.right, height: height - margins.top - margins.bottom, inset: 0 };
  const { x, y, ticks } = chartScale(times, plot.series, plot.logarithmic, inner);
  context.font = font;
  context.fillStyle = "#1a232d";
  context.textAlign = "left";
  context.fillText(plot.unit === "" ? plot.title : `${plot.title} [${plot.unit}]`, margins.left, 30);
  let at = width - margins.right;
  context.textAlign = "right";
  for (const { label, colour } of [...plot.series].reverse()) {
    if (label === "") continue;
    context.fillStyle = colours[colour - 1] ?? "#000";
    context.fillText(label, at, 30);
    at -= context.measureText(label).width + 18;
  }
  context.translate(margins.left, margins.top);
  context.fillStyle = "#5d6c7b";
  context.strokeStyle = "#d9e0e7";
  for (const value of ticks) {
    context.beginPath();
    context.moveTo(0, y(value));
    context.lineTo(inner.width, y(value));
    context.stroke();
    context.fillText(plainNumber(value), -8, y(value) + 5);
  }
  context.textAlign = "center";
  const [first, last] = [times[0] ?? 0, times[times.length - 1] ?? 0];
  for (let i = 0; i <= 5; ++i) {
    const time = first + ((last - first) * i) / 5;
    context.fillText(`${plainNumber(time)}${i === 5 ? " s" : ""}`, x(time), inner.height + 24);
  }
  context.lineWidth = 2;
  context.lineJoin = "round";
  for (const one of plot.series) {
    context.strokeStyle = colours[one.colour - 1] ?? "#000";
    strokeSeries(context, times, one, decimate(times.length, inner.width * 2), x, y);
  }
}

/** A line through the values at `indices`, with gaps where they are not finite. */
export function strokeSeries(
  context: CanvasRenderingContext2D, times: readonly number[], { values }: Series, indices: readonly number[],
  x: (time: number) => number, y: (value: number) => number,
): void {
  context.beginPath();
  let drawing = false;
  for (const i of indices) {
    const px = x(times[i] ?? 0);
    const py = y(values[i] ?? Number.NaN);
    if (!Number.isFinite(py)) drawing = false;
    else if (drawing) context.lineTo(px, py);
    else {
      context.moveTo(px, py);
      drawing = true;
    }
  }
  context.stroke();
}
