// SPDX-License-Identifier: Apache-2.0
import { Box3, Vector3 } from "three";
import type { Layout } from "@viewer/gen/sluice/v1/frames_pb";
import type { Scene } from "@viewer/gen/sluice/v1/scene_pb";

/** The scene's domain, from the layout or, for sessions of older servers, the scene; a metre where neither has it. */
export function domainOf(layout: Layout | undefined, scene: Scene | undefined): Box3 {
  const lower = layout?.domainLower.length === 3 ? layout.domainLower : scene?.domain?.lower;
  const upper = layout?.domainUpper.length === 3 ? layout.domainUpper : scene?.domain?.upper;
  if (lower?.length !== 3 || upper?.length !== 3) return new Box3(new Vector3(0, 0, 0), new Vector3(1, 1, 1));
  return new Box3(new Vector3().fromArray(lower), new Vector3().fromArray(upper));
}

/**
 * Where the positions that the GPU has are measured from. Its numbers have 24 bits: of a body of 10 cm, 9 km from the world's
 * origin, they would leave millimetres. In float32 itself, so that to subtract it from one is exact.
 */
export function localOrigin(domain: Box3): Vector3 {
  return new Vector3(...domain.getCenter(new Vector3()).toArray().map(Math.fround));
}

/** A step of 1, 2 or 5 times a power of ten that divides `length` into about ten. */
export function niceStep(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length / 10));
  const rest = length / 10 / power;
  return power * (rest < 1.5 ? 1 : rest < 3.5 ? 2 : rest < 7.5 ? 5 : 10);
}
