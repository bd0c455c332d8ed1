// SPDX-License-Identifier: Apache-2.0

/** A NumPy .npy file, version 1.0, of float32 in C order. */
export function writeNpy(values: Float32Array, shape: readonly number[]): Uint8Array {
  const shapeText = `(${shape.join(", ")}${shape.length === 1 ? "," : ""})`;
  const description = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shapeText}, }`;
  const magicBytes = 10;
  // The head is padded with spaces to a multiple of 64 and ends in a newline.
  const length = Math.ceil((magicBytes + description.length + 1) / 64) * 64;
  const file = new Uint8Array(length + values.byteLength);
  file.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0]);
  new DataView(file.buffer).setUint16(8, length - magicBytes, true);
  file.set(new TextEncoder().encode(`${description.padEnd(length - magicBytes - 1)}\n`), magicBytes);
  file.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), length);
  return file;
}
