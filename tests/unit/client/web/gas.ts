// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { BodyKind, BodySchema, LayoutSchema, type Body, type Field, type Layout } from "@viewer/gen/sluice/v1/frames_pb";
import type { DecodedArray } from "@viewer/stream/decoded_frame";
import { latticeOf, type Lattice } from "@viewer/view/lattice";

/** A body of cells with edges of half a metre, from (1, 2, 3) on. */
export function air(counts: readonly number[], fields: Field[] = []): Body {
  const count = BigInt(counts.reduce((product, n) => product * n, 1));
  return create(BodySchema, { name: "air", kind: BodyKind.CELLS, count, fields, lattice: { counts: [...counts], lower: [1, 2, 3], edges: [0.5, 0.5, 0.5] } });
}

export function airLayout(counts: readonly number[], fields: Field[] = []): Layout {
  return create(LayoutSchema, { bodies: [air(counts, fields)] });
}

export function airLattice(counts: readonly number[]): Lattice {
  const lattice = latticeOf(air(counts));
  if (lattice === undefined) throw new Error("a body of cells without a lattice");
  return lattice;
}

/** A field of it, exact. */
export function cells(field: Field, values: readonly number[], components = 1): DecodedArray {
  return {
    body: "air", field, count: values.length / components, components, words: Float32Array.from(values),
    origin: Array<number>(components).fill(0), step: Array<number>(components).fill(1),
  };
}
