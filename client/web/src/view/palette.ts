// SPDX-License-Identifier: Apache-2.0
import { Color } from "three";

/** Colours of the 3D view that follow the theme. */
export interface Palette {
  readonly background: Color;
  readonly grid: Color;
  readonly frame: Color;
  readonly obstacle: Color;
  readonly surfaceEdges: Color;
  readonly pin: Color;
  readonly mark: Color;
  readonly smoke: Color;
}

export function palette(dark: boolean): Palette {
  const colours = dark
    ? { background: "#10161d", grid: "#243140", frame: "#44566a", obstacle: "#7d8a98", surfaceEdges: "#0c1116", pin: "#ffb454", mark: "#ffd08a", smoke: "#e8edf2" }
    : { background: "#eef1f4", grid: "#d5dbe2", frame: "#9aa7b5", obstacle: "#a9b4c0", surfaceEdges: "#3d2a20", pin: "#b25a00", mark: "#c05f00", smoke: "#6b747d" };
  return Object.fromEntries(Object.entries(colours).map(([key, value]) => [key, new Color(value)])) as unknown as Palette;
}

/** Of water where nothing more is known of it. */
export const interiorColour = new Color("#2f6fb3");

const surfaceColours = ["#d9a27c", "#c98ba6", "#9fb56f", "#b99ad6"];

export function surfaceColour(index: number): Color {
  return new Color(surfaceColours[index % surfaceColours.length]);
}
