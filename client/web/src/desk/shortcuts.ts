// SPDX-License-Identifier: Apache-2.0
import { toggleTheme } from "@viewer/page/theme";
import { planes } from "@viewer/view/field_bins";
import type { SessionDesk } from "./session_desk";
import { rates } from "./transport_bar";

/** The parts of the page that keys open and close too. */
export interface PageActions {
  readonly help: () => void;
  readonly panel: () => void;
}

interface Shortcut {
  /** Names of keys as KeyboardEvent.key has them. */
  readonly keys: readonly string[];
  readonly shown: string;
  readonly what: string;
  readonly act: (desk: SessionDesk, page: PageActions) => void;
}

const seekBy = (frames: number) => (desk: SessionDesk): void => desk.model.command((player) => player.seek(player.index + frames));

const changeRate = (steps: number) => (desk: SessionDesk): void =>
  desk.model.command((player) => {
    const at = rates.indexOf(player.rate) + steps;
    player.setRate(rates[Math.min(Math.max(at, 0), rates.length - 1)] ?? 1);
  });

export const shortcuts: readonly Shortcut[] = [
  {
    keys: [" ", "k"], shown: "Space", what: "Play or pause the playback",
    act: (desk) => desk.model.command((player) => (player.mode === "playing" ? player.pause() : player.play())),
  },
  { keys: ["ArrowLeft"], shown: "←", what: "One frame back", act: seekBy(-1) },
  { keys: ["ArrowRight"], shown: "→", what: "One frame on", act: seekBy(1) },
  { keys: ["PageUp"], shown: "Page up", what: "Ten frames back", act: seekBy(-10) },
  { keys: ["PageDown"], shown: "Page down", what: "Ten frames on", act: seekBy(10) },
  { keys: ["Home"], shown: "Home", what: "First frame", act: seekBy(-Infinity) },
  { keys: ["End"], shown: "End", what: "Last frame", act: seekBy(Infinity) },
  { keys: ["l"], shown: "L", what: "Follow the newest frame", act: (desk) => desk.model.command((player) => player.follow()) },
  { keys: ["r"], shown: "R", what: "Loop", act: (desk) => desk.model.command((player) => (player.loop = !player.loop)) },
  { keys: ["["], shown: "[", what: "Slower", act: changeRate(-1) },
  { keys: ["]"], shown: "]", what: "Faster", act: changeRate(1) },
  { keys: ["f"], shown: "F", what: "Fit the scene into the picture", act: (desk) => desk.stage?.fit() },
  { keys: ["3"], shown: "3", what: "3D view", act: (desk) => desk.change({ view: "3d" }) },
  {
    keys: ["2"], shown: "2", what: "2D view; again for the next plane",
    act: (desk) => {
      const at = planes.findIndex((plane) => plane === desk.settings.value.view);
      desk.change({ view: planes[(at + 1) % planes.length] ?? "xz" });
    },
  },
  { keys: ["e"], shown: "E", what: "Edges of meshes and cells", act: (desk) => desk.change({ edges: !desk.settings.value.edges }) },
  { keys: ["o", "Escape"], shown: "O", what: "Move the camera with the pointer", act: (desk) => desk.changeSteer({ tool: "orbit" }) },
  { keys: ["g"], shown: "G", what: "Grab cloth, soft bodies, pins and obstacles", act: (desk) => desk.changeSteer({ tool: "grab" }) },
  { keys: ["b"], shown: "B", what: "Push water or gas with a brush", act: (desk) => desk.changeSteer({ tool: "push" }) },
  {
    keys: ["s"], shown: "S", what: "Paint strokes into a gas",
    act: (desk) => {
      if (desk.model.facts.value?.scene.gas !== undefined) desk.changeSteer({ tool: "paint" });
    },
  },
  { keys: ["p"], shown: "P", what: "Side panel", act: (_, page) => page.panel() },
  { keys: ["d"], shown: "D", what: "Dark or light", act: toggleTheme },
  { keys: ["?"], shown: "?", what: "This sheet", act: (_, page) => page.help() },
];

/** Listens until the answer is called. Keys that a control or a text field means are left to it. */
export function listenForShortcuts(desk: SessionDesk, page: PageActions): () => void {
  const press = (event: KeyboardEvent): void => {
    const { target } = event;
    const control = target instanceof HTMLElement ? target : undefined;
    if (event.ctrlKey || event.metaKey || event.altKey || control?.closest("input:not([type=range]):not([type=checkbox]), textarea, select, dialog"))
      return;
    const onButton = control?.closest("button, a, input") !== null && control !== undefined;
    if (event.key === " " && onButton) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const shortcut = shortcuts.find(({ keys }) => keys.includes(key));
    if (shortcut === undefined) return;
    event.preventDefault();
    shortcut.act(desk, page);
  };
  addEventListener("keydown", press);
  return () => removeEventListener("keydown", press);
}
