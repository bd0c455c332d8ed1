// SPDX-License-Identifier: Apache-2.0
import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments, type Color } from "three";
import type { DecodedArray } from "@viewer/stream/decoded_frame";
import { axesOf, type Plane } from "./field_bins";
import type { Lattice } from "./lattice";
import { rowValue } from "./value_range";

/**
 * The lower and left edges of the cells of many sizes in the layer through the middle, as pairs of points (x, y, 0) of a picture of
 * one metre by one about its middle. `levels` is Field.CELL_LEVEL; the upper and right ends are the domain's.
 */
export function edgesOfCells(levels: DecodedArray, { counts }: Lattice, plane: Plane): Float32Array {
  const [right, up, along] = axesOf(plane);
  const strides = [1, counts[0], counts[0] * counts[1]] as const;
  const count = (axis: number): number => counts[axis] ?? 1;
  const [width, height] = [count(right), count(up)];
  const layer = Math.floor(count(along) / 2) * (strides[along] ?? 0);
  const points: number[] = [];
  for (let j = 0; j < height; ++j) {
    for (let i = 0; i < width; ++i) {
      const edge = 2 ** rowValue(levels, layer + i * (strides[right] ?? 0) + j * (strides[up] ?? 0));
      if (i % edge !== 0 || j % edge !== 0) continue;
      const [x, y] = [i / width - 0.5, j / height - 0.5];
      points.push(x, y, 0, Math.min(i + edge, width) / width - 0.5, y, 0, x, y, 0, x, Math.min(j + edge, height) / height - 0.5, 0);
    }
  }
  return Float32Array.from(points);
}

/** These edges as lines, to be placed as a picture is. */
export class CellEdges {
  readonly object = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.35 }));

  constructor() {
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  show(points: Float32Array, colour: Color): void {
    const { geometry, material } = this.object;
    geometry.dispose();
    geometry.setAttribute("position", new BufferAttribute(points, 3));
    material.color.copy(colour);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}
