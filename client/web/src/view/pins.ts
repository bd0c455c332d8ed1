// SPDX-License-Identifier: Apache-2.0
import { Vector3 } from "three";
import type { Cloth } from "@viewer/gen/sluice/v1/scene_pb";
import { isInside } from "./shape_geometry";

/** The vertices of a pin. */
export interface PinVertices {
  readonly name: string;
  readonly vertices: readonly number[];
}

/**
 * Which vertices a cloth's pins hold, by the rules of scene.proto: those named, and those inside the region at the start that
 * no pin names and no pin before holds. `initial` are the positions of frame 0.
 */
export function pinVertices(cloth: Cloth, initial: Float32Array): PinVertices[] {
  const taken = new Set(cloth.pins.flatMap((pin) => pin.vertices));
  return cloth.pins.map((pin, i) => {
    const vertices = [...pin.vertices];
    const { region } = pin;
    if (region !== undefined) {
      for (let v = 0; v * 3 < initial.length; ++v) {
        if (taken.has(v) || !isInside(region, new Vector3().fromArray(initial, v * 3))) continue;
        taken.add(v);
        vertices.push(v);
      }
    }
    return { name: pin.name === "" ? `pin${i}` : pin.name, vertices };
  });
}
