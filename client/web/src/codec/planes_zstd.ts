// SPDX-License-Identifier: Apache-2.0
import { decompress } from "fzstd";
import type { CodedRows } from "./prediction";

/** Rows out of CODEC_Q16_PLANES_ZSTD: byte planes, component by component. Throws for bytes of another form. */
export function decodePlanes(bytes: Uint8Array, count: number, components: number, wordBytes: 2 | 4): CodedRows {
  const size = count * components * wordBytes;
  const planes = decompress(bytes);
  if (planes.byteLength !== size) throw new Error("an array has another size than its descriptor says");
  const rows = new Uint8Array(size);
  for (let c = 0, plane = 0; c < components; ++c) {
    for (let byte = 0; byte < wordBytes; ++byte, plane += count) {
      const first = c * wordBytes + byte; // The word is little-endian: its lowest byte is first.
      for (let row = 0; row < count; ++row) rows[first + row * components * wordBytes] = planes[plane + row] ?? 0;
    }
  }
  const words = wordBytes === 2 ? new Uint16Array(rows.buffer) : new Uint32Array(rows.buffer);
  return { words, stride: components };
}
