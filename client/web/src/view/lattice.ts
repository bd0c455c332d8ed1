// SPDX-License-Identifier: Apache-2.0
import { Box3, Vector3 } from "three";
import { BodyKind, type Body } from "@viewer/gen/sluice/v1/frames_pb";
import type { Plane } from "./field_bins";
import { triple } from "./quantised_attribute";

/** Where the cells of a body are. Its rows run first along x, then y, then z. */
export interface Lattice {
  readonly counts: readonly [number, number, number];
  /** Around all cells. */
  readonly box: Box3;
}

/** Nothing for bodies of other kinds. */
export function latticeOf({ kind, lattice }: Body): Lattice | undefined {
  if (kind !== BodyKind.CELLS || lattice === undefined) return undefined;
  const counts = triple(lattice.counts, 1);
  const lower = new Vector3(...triple(lattice.lower, 0));
  const size = new Vector3(...triple(lattice.edges, 1)).multiply(new Vector3(...counts));
  return { counts, box: new Box3(lower, lower.clone().add(size)) };
}

/** The plane that a flow in two dimensions lies in: across an axis with one layer of cells. Nothing for one in three. */
export function flatPlane({ counts }: Lattice): Plane | undefined {
  if (counts[1] === 1) return "xz";
  return counts[0] === 1 ? "yz" : counts[2] === 1 ? "xy" : undefined;
}
