// SPDX-License-Identifier: Apache-2.0
import { Box3, Sphere, Vector3 } from "three";
import type { Backdrop } from "./backdrop";
import type { Bodies } from "./bodies";

/** A body whose picture has a smaller radius is a speck, in pixels: nobody can point at it exactly. */
const speckPixels = 6;
/** From how far a pointer is taken to mean a speck, in pixels. */
const reachPixels = 10;

/** The spheres around each body and obstacle that is shown. */
export function boundsOf(bodies: Bodies | undefined, backdrop: Backdrop | undefined): Sphere[] {
  const surfaces = [...(bodies?.surfaces.values() ?? [])].filter(({ object, positions }) => object.visible && positions.length > 0);
  const obstacles = [...(backdrop?.obstacles.values() ?? [])].filter(({ visible }) => visible);
  return [
    ...surfaces.map(({ positions, origin }) => {
      const sphere = new Box3().setFromArray(positions).getBoundingSphere(new Sphere());
      return sphere.translate(origin);
    }),
    ...obstacles.map((mesh) => new Box3().setFromObject(mesh).getBoundingSphere(new Sphere())),
  ];
}

/**
 * The speck that is nearest to the ray of a pointer, if one is near enough. `pixelsPerMetre` is that of the picture at distance 1. To
 * zoom to the pointer would miss it: half a pixel beside an insect in a hall is a hand's breadth.
 */
export function speckNear(bounds: readonly Sphere[], eye: Vector3, direction: Vector3, pixelsPerMetre: number): Vector3 | undefined {
  let nearest: Vector3 | undefined;
  let least = reachPixels;
  for (const { center, radius } of bounds) {
    const offset = center.clone().sub(eye);
    const along = offset.dot(direction);
    if (along <= 0 || (radius * pixelsPerMetre) / along > speckPixels) continue;
    const pixels = (Math.sqrt(Math.max(0, offset.lengthSq() - along * along)) * pixelsPerMetre) / along;
    if (pixels >= least) continue;
    least = pixels;
    nearest = center;
  }
  return nearest;
}
