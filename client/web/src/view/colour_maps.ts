// SPDX-License-Identifier: Apache-2.0

export type ColourMapName = "water" | "viridis" | "magma" | "fire" | "balance" | "grey";

/** sRGB stops at equal distances, dark to light (balance: from one hue over light to the other). */
const stops: Readonly<Record<ColourMapName, readonly string[]>> = {
  water: ["#0b3c6f", "#11588f", "#1c77b0", "#3597cc", "#62b6dd", "#97d2ea", "#c4e6f3", "#ecf8fc"],
  viridis: ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#a0da39", "#fde725"],
  magma: ["#0b0724", "#231151", "#5f187f", "#982d80", "#d3436e", "#f8765c", "#febb81", "#fcfdbf"],
  fire: ["#0d0605", "#4a0f0a", "#8f1d0c", "#cf3a0b", "#f0701a", "#fba93a", "#fedc7c", "#fffbe6"],
  balance: ["#1d4e89", "#4a7fb5", "#8db3d6", "#d5e4ee", "#f3dfd5", "#e0a58b", "#c26a4f", "#8c2f2b"],
  grey: ["#1b1e22", "#3a3f45", "#5c6269", "#80868d", "#a5aab0", "#c8ccd0", "#e4e7e9", "#fafbfb"],
};

export const colourMapNames = Object.keys(stops) as ColourMapName[];

/** A colour as bytes. */
export type Rgb = readonly [number, number, number];

function parse(hex: string): Rgb {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** The colour at `t`, which is clamped to [0, 1]; not a number counts as 0. */
export function colourAt(name: ColourMapName, t: number): Rgb {
  const list = stops[name];
  const place = Math.min(Math.max(t || 0, 0), 1) * (list.length - 1);
  const i = Math.min(Math.floor(place), list.length - 2);
  const a = parse(list[i] ?? "#000000");
  const b = parse(list[i + 1] ?? "#000000");
  const mix = (k: 0 | 1 | 2): number => Math.round(a[k] + (b[k] - a[k]) * (place - i));
  return [mix(0), mix(1), mix(2)];
}

/** `count` colours in a row, RGBA bytes, for a texture. */
export function colourRow(name: ColourMapName, count: number): Uint8Array {
  const row = new Uint8Array(count * 4);
  for (let i = 0; i < count; ++i) row.set([...colourAt(name, i / (count - 1)), 255], i * 4);
  return row;
}

/** A CSS gradient from left to right. */
export function colourGradient(name: ColourMapName): string {
  return `linear-gradient(to right, ${stops[name].join(", ")})`;
}
