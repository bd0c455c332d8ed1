// SPDX-License-Identifier: Apache-2.0

/** Triangles as the layout has them: little-endian int32, three a triangle. */
export function triangleIndices(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const indices = new Uint32Array(bytes.byteLength / 4);
  for (let i = 0; i < indices.length; ++i) indices[i] = view.getUint32(i * 4, true);
  return indices;
}

/** Each edge of the triangles once, as pairs of vertices. */
export function edgesOf(triangles: Uint32Array): Uint32Array {
  const seen = new Set<number>();
  const edges: number[] = [];
  for (let t = 0; t < triangles.length; t += 3) {
    for (let e = 0; e < 3; ++e) {
      const a = triangles[t + e] ?? 0;
      const b = triangles[t + ((e + 1) % 3)] ?? 0;
      const key = Math.min(a, b) * 2 ** 26 + Math.max(a, b);
      if (seen.has(key)) continue;
      seen.add(key);
      edges.push(a, b);
    }
  }
  return Uint32Array.from(edges);
}

/** Unit normals of the vertices, each triangle weighted by its area; into `normals`. */
export function vertexNormals(positions: Float32Array, triangles: Uint32Array, normals: Float32Array): void {
  normals.fill(0);
  for (let t = 0; t < triangles.length; t += 3) {
    const a = (triangles[t] ?? 0) * 3;
    const b = (triangles[t + 1] ?? 0) * 3;
    const c = (triangles[t + 2] ?? 0) * 3;
    const at = (i: number): number => positions[i] ?? 0;
    const ux = at(b) - at(a), uy = at(b + 1) - at(a + 1), uz = at(b + 2) - at(a + 2);
    const vx = at(c) - at(a), vy = at(c + 1) - at(a + 1), vz = at(c + 2) - at(a + 2);
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (const i of [a, b, c]) {
      normals[i] = (normals[i] ?? 0) + nx;
      normals[i + 1] = (normals[i + 1] ?? 0) + ny;
      normals[i + 2] = (normals[i + 2] ?? 0) + nz;
    }
  }
  for (let i = 0; i < normals.length; i += 3) {
    const x = normals[i] ?? 0, y = normals[i + 1] ?? 0, z = normals[i + 2] ?? 0;
    const length = Math.sqrt(x * x + y * y + z * z) || 1;
    normals[i] = x / length;
    normals[i + 1] = y / length;
    normals[i + 2] = z / length;
  }
}
