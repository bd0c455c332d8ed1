// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from "preact/hooks";
import { isDark } from "@viewer/page/theme";
import { plainNumber } from "@viewer/words/numbers";
import { chartScale, decimate, nearestIndex, type Series } from "./chart_data";
import { strokeSeries } from "./plot_picture";

interface LineChartProps {
  readonly title: string;
  readonly unit: string;
  /** The times of all series, rising. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** The time in the picture. */
  readonly now: number;
  readonly logarithmic?: boolean;
  /** A person pointed at a time. */
  readonly onSeek?: (time: number) => void;
}

const height = 74;
const inset = 3;

/** A small plot over simulated time; pointing at it reads values off, a click goes to that frame. */
export function LineChart({ title, unit, times, series, now, logarithmic = false, onSeek }: LineChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const at = pointed ?? nearestIndex(times, now);
  const dark = isDark.value;

  useEffect(() => {
    const element = canvas.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = canvas.current;
    if (element !== null && width > 0) draw(element, width, times, series, logarithmic, times[at]);
  }, [width, times, series, logarithmic, at, dark]);

  const indexAt = (event: PointerEvent): number => {
    const { left } = (event.currentTarget as Element).getBoundingClientRect();
    const share = (event.clientX - left - inset) / Math.max(1, width - 2 * inset);
    const first = times[0] ?? 0;
    return nearestIndex(times, first + share * ((times[times.length - 1] ?? 0) - first));
  };
  return (
    <figure class="chart">
      <figcaption>
        <span>{title}</span>
        <span class="chart-values">
          {series.map((one) => (
            <span key={one.label} style={{ color: `var(--series-${one.colour})` }}>
              {one.label !== "" && <span class="chart-label">{one.label} </span>}{plainNumber(one.values[at] ?? Number.NaN)}
            </span>
          ))}
          <span class="unit">{unit}</span>
        </span>
      </figcaption>
      <canvas
        ref={canvas} height={height} role="img" aria-label={`${title} over time`}
        onPointerMove={(event) => setPointed(indexAt(event))} onPointerLeave={() => setPointed(undefined)}
        onClick={() => pointed !== undefined && onSeek?.(times[pointed] ?? 0)}
      />
    </figure>
  );
}

function draw(
  canvas: HTMLCanvasElement, width: number, times: readonly number[], series: readonly Series[], logarithmic: boolean, mark: number | undefined,
): void {
  const ratio = globalThis.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.scale(ratio, ratio);
  const style = getComputedStyle(canvas);
  const { x, y, zero } = chartScale(times, series, logarithmic, { width, height, inset });
  context.strokeStyle = style.getPropertyValue("--line");
  context.beginPath();
  if (zero !== undefined) {
    context.moveTo(0, zero);
    context.lineTo(width, zero);
  }
  if (mark !== undefined) {
    context.moveTo(x(mark), 0);
    context.lineTo(x(mark), height);
  }
  context.stroke();
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  for (const one of series) {
    context.strokeStyle = style.getPropertyValue(`--series-${one.colour}`);
    strokeSeries(context, times, one, decimate(times.length, width * 2), x, y);
  }
}
