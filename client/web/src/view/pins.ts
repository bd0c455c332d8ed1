// SPDX-License-Identifier: Apache-2.0
import { Vector3 } from "three";
import type { Pin } from "@viewer/gen/sluice/v1/scene_pb";
import { isInside } from "./shape_geometry";

/** The vertices of a pin. */
export interface PinVertices {
  readonly name: string;
  readonly vertices: readonly number[];
}

/** A body that can have pins. */
interface PinnedBody {
  readonly pins: readonly Pin[];
}

/**
 * Which vertices a body's pins hold, by the rules of scene.proto: those named, and those inside the region at the start that
 * no pin names and no pin before holds. `initial` are the positions of frame 0.
 */
export function pinVertices(body: PinnedBody, initial: Float32Array): PinVertices[] {
  const taken = new Set(body.pins.flatMap((pin) => pin.vertices));
  return body.pins.map((pin, i) => {
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
