// SPDX-License-Identifier: Apache-2.0
import { MeshoptDecoder } from "meshoptimizer";
import type { CodedRows } from "./prediction";

/** Settles when `decodeVertices` may be called: it is WebAssembly. */
export const meshoptReady: Promise<void> = MeshoptDecoder.ready;

let scratch = new Uint8Array();

/** `size` bytes that the next call gives away again. */
function scratchOf(size: number): Uint8Array<ArrayBuffer> {
  if (scratch.byteLength < size) scratch = new Uint8Array(size);
  return scratch.subarray(0, size);
}

/**
 * Rows out of CODEC_Q16_MESHOPT: vertices, each a row padded to a multiple of 4 bytes. They stand until the next call. Throws for
 * bytes of another form.
 */
export function decodeVertices(bytes: Uint8Array, count: number, components: number, wordBytes: 2 | 4): CodedRows {
  const vertexBytes = Math.ceil((components * wordBytes) / 4) * 4;
  // Before anything is allocated: 64 vertices take a byte of each of their bytes at least.
  if (Math.floor(bytes.byteLength / vertexBytes) < Math.floor(count / 64)) throw new Error("an array is cut short");
  const vertices = scratchOf(count * vertexBytes);
  MeshoptDecoder.decodeVertexBuffer(vertices, count, vertexBytes, bytes);
  const length = vertices.byteLength / wordBytes;
  const words = wordBytes === 2 ? new Uint16Array(vertices.buffer, 0, length) : new Uint32Array(vertices.buffer, 0, length);
  return { words, stride: vertexBytes / wordBytes };
}
