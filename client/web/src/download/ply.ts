// SPDX-License-Identifier: Apache-2.0

/** Columns of a table: float32 numbers of one name each. */
export interface Column {
  readonly name: string;
  readonly values: Float32Array;
  /** The column's number in a row of `values`, and the numbers a row. */
  readonly offset: number;
  readonly stride: number;
}

/** A binary little-endian PLY file: one vertex a row, and triangles where there are any. */
export function writePly(comments: readonly string[], rowCount: number, columns: readonly Column[], triangles: Uint32Array): Blob {
  const head = [
    "ply", "format binary_little_endian 1.0", ...comments.map((comment) => `comment ${comment.replace(/[\r\n]+/g, " ")}`),
    `element vertex ${rowCount}`, ...columns.map(({ name }) => `property float ${name}`),
    ...(triangles.length > 0 ? [`element face ${triangles.length / 3}`, "property list uchar int vertex_indices"] : []),
    "end_header\n",
  ].join("\n");
  const vertices = new DataView(new ArrayBuffer(rowCount * columns.length * 4));
  columns.forEach(({ values, offset, stride }, c) => {
    for (let row = 0; row < rowCount; ++row)
      vertices.setFloat32((row * columns.length + c) * 4, values[row * stride + offset] ?? Number.NaN, true);
  });
  const faces = new DataView(new ArrayBuffer((triangles.length / 3) * 13));
  for (let t = 0; t * 3 < triangles.length; ++t) {
    faces.setUint8(t * 13, 3);
    for (let k = 0; k < 3; ++k) faces.setInt32(t * 13 + 1 + k * 4, triangles[t * 3 + k] ?? 0, true);
  }
  return new Blob([head, vertices.buffer, faces.buffer], { type: "application/octet-stream" });
}
