// SPDX-License-Identifier: Apache-2.0
import type { Ray } from "three";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import type { DecodedFrame } from "@viewer/stream/decoded_frame";

/** Distance along the ray to the first particle within `radius` metres of it; nothing where there is none. */
export function depthUnder(frame: DecodedFrame, ray: Ray, radius: number): number | undefined {
  const { origin: o, direction: d } = ray;
  let nearest = Infinity;
  for (const array of frame.arrays) {
    if (array.field !== Field.POSITION) continue;
    const { words, origin, step, count } = array;
    for (let i = 0, at = 0; i < count; ++i, at += 3) {
      const x = (origin[0] ?? 0) + (step[0] ?? 1) * (words[at] ?? 0) - o.x;
      const y = (origin[1] ?? 0) + (step[1] ?? 1) * (words[at + 1] ?? 0) - o.y;
      const z = (origin[2] ?? 0) + (step[2] ?? 1) * (words[at + 2] ?? 0) - o.z;
      const along = x * d.x + y * d.y + z * d.z;
      if (along <= 0 || along >= nearest) continue;
      if (x * x + y * y + z * z - along * along <= radius * radius) nearest = along;
    }
  }
  return Number.isFinite(nearest) ? nearest : undefined;
}
