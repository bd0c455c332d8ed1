// SPDX-License-Identifier: Apache-2.0
import { BodyKind, Field, type Layout } from "@viewer/gen/sluice/v1/frames_pb";
import { valuesOf, type DecodedArray, type DecodedFrame } from "@viewer/stream/decoded_frame";
import { latticeOf } from "@viewer/view/lattice";
import { triangleIndices } from "@viewer/view/mesh_topology";
import { writeNpy } from "./npy";
import { writePly, type Column } from "./ply";
import type { SavedFile } from "./save";
import { writeZip } from "./zip";

const columnNames: Partial<Record<Field, readonly string[]>> = {
  [Field.POSITION]: ["x", "y", "z"],
  [Field.VELOCITY]: ["vx", "vy", "vz"],
};

function fieldName(field: Field): string {
  return Field[field].toLowerCase();
}

/** Whether there is a body of points or triangles: cells are no PLY file. */
export function hasPly(layout: Layout): boolean {
  return layout.bodies.some(({ kind }) => kind !== BodyKind.CELLS);
}

/** One PLY file a body, but for cells: positions, and every other field as properties of the vertices. */
export function plyFiles(frame: DecodedFrame, layout: Layout, stem: string): SavedFile[] {
  return layout.bodies.filter(({ kind }) => kind !== BodyKind.CELLS).flatMap((body) => {
    const arrays = frame.arrays.filter((array) => array.body === body.name);
    const columns = arrays.flatMap((array): Column[] => {
      const values = valuesOf(array);
      const names = columnNames[array.field] ?? [fieldName(array.field)];
      return names.map((name, offset) => ({ name, values, offset, stride: array.components }));
    });
    const rows = arrays[0]?.count;
    if (rows === undefined) return [];
    const comments = [`Sluice, ${body.name}, frame ${frame.cursor.index}, ${frame.timeSeconds} s`];
    return [{ name: `${stem}_${body.name}.ply`, content: writePly(comments, rows, columns, triangleIndices(body.triangles)) }];
  });
}

/** All arrays as they are, as `body.field` in a NumPy archive. */
export function npzFile(frame: DecodedFrame, layout: Layout, stem: string): SavedFile {
  const entries = frame.arrays.map((array) => ({
    name: `${array.body}.${fieldName(array.field)}.npy`,
    data: writeNpy(valuesOf(array), [...rowShape(array, layout), ...(array.components === 1 ? [] : [array.components])]),
  }));
  return { name: `${stem}.npz`, content: writeZip(entries) };
}

/** Cells have their numbers along z, y and x: NumPy's last index is the fastest. */
function rowShape({ body, count }: DecodedArray, layout: Layout): number[] {
  const found = layout.bodies.find(({ name }) => name === body);
  const lattice = found && latticeOf(found);
  return lattice === undefined ? [count] : [...lattice.counts].reverse();
}
