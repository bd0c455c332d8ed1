// SPDX-License-Identifier: Apache-2.0
import { create, fromJson } from "@bufbuild/protobuf";
import type { Api } from "@viewer/api/clients";
import { CreateSessionRequestSchema } from "@viewer/gen/sluice/v1/sessions_pb";
import { SceneSchema } from "@viewer/gen/sluice/v1/scene_pb";

/** A little water falls and splashes: a few milliseconds a frame. */
export const splash = {
  name: "Splash",
  domain: { lower: [0, 0, 0], upper: [0.6, 0.4, 0.5] },
  timing: { frame_count: 90, frames_per_second: 60 },
  fluid_grid: { cell_size: 0.04 },
  fluids: [{ name: "water", regions: [{ box: { size: [0.2, 0.36, 0.2] }, transform: { translation: [0.2, 0.2, 0.3] } }], sound_speed: 10 }],
};

/** A tap over an open floor: no water at first, and each frame has other particles than the one before. */
export const tap = {
  name: "Tap",
  domain: { lower: [-0.3, -0.3, 0], upper: [0.3, 0.3, 0.6], open_sides: ["SIDE_Z_LOWER"] },
  timing: { frame_count: 60, frames_per_second: 60 },
  fluid_grid: { cell_size: 0.04 },
  fluids: [{
    name: "water", sound_speed: 10,
    emitters: [{ name: "tap", shape: { sphere: { radius: 0.1 }, transform: { translation: [0, 0, 0.45] } }, velocity: [0, 0, -1] }],
  }],
};

/**
 * A sheet that hangs still without gravity, held along one side, and a ball beside it, both in the plane that the camera looks
 * at; they move only when somebody moves them. Runs for long.
 */
export const stillSheet = {
  name: "Still sheet",
  domain: { lower: [-0.5, -0.5, -0.5], upper: [0.5, 0.5, 0.5] },
  gravity: [0, 0, 0],
  timing: { frame_count: 100_000, frames_per_second: 60 },
  cloths: [{
    name: "sheet", grid: { size: [0.6, 0.6], vertices: [16, 16] }, transform: { rotation_degrees: [90, 0, 0] }, area_density: 0.5,
    structural_stiffness: 60, shear_stiffness: 20, bend_stiffness: 0.5, damping: 1,
    pins: [{ name: "left", region: { box: { size: [0.02, 1, 1] }, transform: { translation: [-0.3, 0, 0] } } }],
  }],
  obstacles: [{ name: "ball", shape: { sphere: { radius: 0.06 }, transform: { translation: [0.42, 0, -0.38] } } }],
  camera: { eye: [0, -1.6, 0], target: [0, 0, 0] },
};

/** Water that floats at rest, without gravity, in the middle of the picture. Runs for long. */
export const stillWater = {
  name: "Still water",
  domain: { lower: [-0.5, -0.5, -0.5], upper: [0.5, 0.5, 0.5] },
  gravity: [0, 0, 0],
  timing: { frame_count: 100_000, frames_per_second: 60 },
  fluid_grid: { cell_size: 0.05 },
  fluids: [{ name: "water", regions: [{ sphere: { radius: 0.2 } }], sound_speed: 5 }],
  camera: { eye: [0, -1.6, 0], target: [0, 0, 0] },
};

/** A still gas in two dimensions that dye can be painted into. Runs for long. */
export const dyeBox = {
  name: "Dye box",
  domain: { lower: [0, 0, 0], upper: [1, 0.05, 1] },
  gravity: [0, 0, 0],
  timing: { frame_count: 100_000, frames_per_second: 60 },
  fluid_grid: { cell_size: 0.015625, dimensions: 2 },
  gas: { name: "air", carries: ["CARRIED_DYE"] },
};

/** Smoke that a source blows upwards past a ball. */
export const smoke = {
  name: "Smoke",
  domain: { lower: [0, 0, 0], upper: [1, 1, 1] },
  timing: { frame_count: 60, frames_per_second: 60 },
  fluid_grid: { cell_size: 0.04166666666666666 },
  gas: {
    name: "air",
    sources: [{ shape: { sphere: { radius: 0.15 }, transform: { translation: [0.5, 0.5, 0.2] } }, content: { smoke: 1, velocity: [0, 0, 1] } }],
  },
  obstacles: [{ name: "ball", shape: { sphere: { radius: 0.1 }, transform: { translation: [0.5, 0.5, 0.7] } } }],
};

/** The same on cells of many sizes, in two dimensions. */
export const adaptiveSmoke = {
  ...smoke,
  timing: { frame_count: 20, frames_per_second: 60 },
  fluid_grid: { cell_size: 0.015625, dimensions: 2, adaptive: { levels: 4 } },
  output: { fields: ["FIELD_CELL_LEVEL"] },
};

/** Still water that fills half of a tank, on cells of many sizes: particles only near the surface. */
export const adaptiveTank = {
  name: "Tank",
  domain: { lower: [0, 0, 0], upper: [1, 1, 1] },
  timing: { frame_count: 4, frames_per_second: 60 },
  fluid_grid: { cell_size: 0.03125, solver: "FLUID_SOLVER_INCOMPRESSIBLE", adaptive: { levels: 4 } },
  fluids: [{ name: "water", regions: [{ box: { size: [1, 1, 0.75] }, transform: { translation: [0.5, 0.5, 0.375] } }] }],
};

/** A drop of 3 mm in a domain of 8 mm. */
export const tinyDrop = {
  name: "Tiny drop",
  domain: { lower: [-0.004, -0.004, 0], upper: [0.004, 0.004, 0.008] },
  timing: { frame_count: 4, frames_per_second: 500 },
  fluid_grid: { cell_size: 0.0004 },
  fluids: [{ name: "water", regions: [{ sphere: { radius: 0.0015 }, transform: { translation: [0, 0, 0.004] } }], sound_speed: 5 }],
};

/** A ball of 5 mm and a house, in a domain of 400 m. */
export const insectInHall = {
  name: "Insect",
  domain: { lower: [0, 0, 0], upper: [400, 400, 200] },
  timing: { frame_count: 1, frames_per_second: 60 },
  gravity: [0, 0, 0],
  rigid_bodies: [
    { name: "insect", shape: { sphere: { radius: 0.005 }, transform: { translation: [200, 200, 100] } } },
    { name: "house", shape: { box: { size: [100, 100, 50] }, transform: { translation: [100, 100, 100] } } },
  ],
};

/** A ball over a block in a domain of 10 cm, anywhere in the world. */
export function ballOnBlock(at: readonly [number, number, number]): object {
  const place = (x: number, y: number, z: number): number[] => [at[0] + x, at[1] + y, at[2] + z];
  return {
    name: "Ball on block",
    domain: { lower: place(-0.05, -0.05, 0), upper: place(0.05, 0.05, 0.1) },
    timing: { frame_count: 1, frames_per_second: 60 },
    rigid_bodies: [{ name: "ball", shape: { sphere: { radius: 0.01 }, transform: { translation: place(0, 0, 0.03) } } }],
    obstacles: [{ name: "block", shape: { box: { size: [0.04, 0.04, 0.01] }, transform: { translation: place(0, 0, 0.005) } } }],
  };
}

/** Starts a scene; answers with the session's name. */
export async function start(api: Api, scene: object, options: { startPaused?: boolean } = {}): Promise<string> {
  const request = create(CreateSessionRequestSchema, {
    scene: fromJson(SceneSchema, JSON.parse(JSON.stringify(scene)) as never), session: { options },
  });
  return (await api.sessions.create(request)).name;
}
