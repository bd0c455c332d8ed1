// SPDX-License-Identifier: Apache-2.0
import { readStored, store } from "@viewer/page/storage";
import { colourMapNames } from "@viewer/view/colour_maps";
import { defaultSettings, type ViewSettings } from "@viewer/view/view_settings";

/** Choices that hold for every session; the others belong to one. */
type Kept = Pick<ViewSettings, "map" | "edges" | "domain" | "obstacles" | "pins" | "particleScale" | "gasOpacity" | "exact">;

export function saveSettings({ map, edges, domain, obstacles, pins, particleScale, gasOpacity, exact }: ViewSettings): void {
  const kept: Kept = { map, edges, domain, obstacles, pins, particleScale, gasOpacity, exact };
  store("view", JSON.stringify(kept));
}

/** The saved settings, as far as they still make sense; else the defaults. */
export function loadSettings(): ViewSettings {
  const saved = parse(readStored("view"));
  const flag = (key: "edges" | "domain" | "obstacles" | "pins" | "exact"): boolean =>
    typeof saved[key] === "boolean" ? saved[key] : defaultSettings[key];
  const factor = (key: "particleScale" | "gasOpacity", least: number, most: number): number => {
    const value = saved[key];
    return typeof value === "number" && value >= least && value <= most ? value : defaultSettings[key];
  };
  return {
    ...defaultSettings,
    map: colourMapNames.find((name) => name === saved["map"]) ?? defaultSettings.map,
    edges: flag("edges"),
    domain: flag("domain"),
    obstacles: flag("obstacles"),
    pins: flag("pins"),
    exact: flag("exact"),
    particleScale: factor("particleScale", 0.25, 3),
    gasOpacity: factor("gasOpacity", 0.1, 10),
  };
}

function parse(text: string | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
