// SPDX-License-Identifier: Apache-2.0
// What a person takes away from a session: its scene as text, its figures as a table, its warnings in words.
import { create, fromJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { framesWords, warningTitle } from "@viewer/api/warning_words";
import { WarningKind } from "@viewer/gen/sluice/v1/frames_pb";
import { SceneSchema } from "@viewer/gen/sluice/v1/scene_pb";
import { SessionWarningSchema } from "@viewer/gen/sluice/v1/sessions_pb";
import { figuresCsv } from "@viewer/plots/plot_files";
import { parseJsonText } from "@viewer/scene/json_text";
import { sceneText } from "@viewer/scene/scene_text";
import type { FrameFigures } from "@viewer/stream/decoded_frame";

test("a scene's text is read back as the same scene, and names fields as the files do", () => {
  const json = {
    name: "Water", domain: { lower: [-0.5, -0.5, 0], upper: [0.5, 0.5, 1] }, timing: { frame_count: "120", frames_per_second: 60 },
    fluid_grid: { cell_size: 0.03 },
    fluids: [{ name: "water", regions: [{ sphere: { radius: 0.2 }, transform: { translation: [0, 0, 0.7] } }], sound_speed: 10 }],
    cloths: [{ name: "sheet", mesh: `assets/${"0a".repeat(32)}`, area_density: 0.1 }],
  };
  const scene = fromJson(SceneSchema, json);
  const text = sceneText(scene);
  expect(fromJson(SceneSchema, parseJsonText(text).value as never)).toEqual(scene);
  expect(text).toContain('"cell_size": 0.03');
  expect(text).toContain('\n  "domain": {"lower": [-0.5, -0.5, 0], "upper": [0.5, 0.5, 1]},\n');
  expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(110);
  expect(sceneText(create(SceneSchema))).toBe("{}\n");
});

function figures(kineticEnergy: number, stageSeconds: Record<string, number>): FrameFigures {
  return {
    substepCount: 3, iterationCount: 12, residual: 1e-5, smallestGap: Infinity, contactCount: 7, particleCount: 100, cellCounts: [], kineticEnergy,
    potentialEnergy: -2, momentum: [0.1, 0.2, 0.3], certificate: undefined, warnings: [], solveSeconds: 0.05, stageSeconds,
  };
}

test("the table of figures has a line a frame, with every digit and the time of every stage", () => {
  const csv = figuresCsv([
    { index: 1, timeSeconds: 1 / 60, figures: figures(1 / 3, { solid: 0.01 }) },
    { index: 2, timeSeconds: 2 / 60, figures: figures(0.5, { "fluid grid": 0.02 }) },
  ]);
  const [head = "", ...rows] = csv.split("\r\n");
  expect(head.split(",").slice(0, 4)).toEqual(["frame", "time_seconds", "kinetic_energy_joules", "potential_energy_joules"]);
  expect(head.split(",").slice(-2)).toEqual(["solid_seconds", "fluid_grid_seconds"]);
  expect(rows.length).toBe(3);
  expect(rows[2]).toBe("");
  const columns = rows.slice(0, 2).map((row) => row.split(",").map(Number));
  expect(columns.map((row) => row.length)).toEqual([head.split(",").length, head.split(",").length]);
  expect(columns[0]?.slice(0, 3)).toEqual([1, 1 / 60, 1 / 3]);
  expect(columns.map((row) => row.slice(-2))).toEqual([[0.01, 0], [0, 0.02]]);
});

test("a warning says what, of what, and in which frames", () => {
  expect(warningTitle({ kind: WarningKind.VOLUME_LOST, body: "water" })).toBe("Volume lost: water");
  expect(warningTitle({ kind: WarningKind.NOT_CONVERGED, body: "" })).toBe("Not converged");
  expect(warningTitle({ kind: 99 as WarningKind, body: "water" })).toBe("Warning: water");
  const warning = (first: bigint, last: bigint, frames: bigint) =>
    create(SessionWarningSchema, { firstFrameIndex: first, lastFrameIndex: last, frameCount: frames });
  expect(framesWords(warning(12n, 12n, 1n))).toBe("in frame 12");
  expect(framesWords(warning(12n, 40n, 3n))).toBe("in 3 frames from 12 to 40");
});
