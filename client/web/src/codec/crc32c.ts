// SPDX-License-Identifier: Apache-2.0

/** Table k: the CRC of a byte with k zero bytes behind it. Eight of them take eight bytes a turn (Intel's slicing-by-8). */
const tables: readonly Uint32Array[] = makeTables();

function makeTables(): Uint32Array[] {
  const polynomial = 0x82f63b78; // Castagnoli, reflected.
  const first = new Uint32Array(256);
  for (let value = 0; value < 256; ++value) {
    let crc = value;
    for (let bit = 0; bit < 8; ++bit) crc = (crc & 1) !== 0 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    first[value] = crc;
  }
  const all = [first];
  for (let last = first; all.length < 8; all.push(last)) {
    last = last.map((crc) => (crc >>> 8) ^ (first[crc & 0xff] ?? 0));
  }
  return all;
}

/** CRC32C of `bytes`, continuing `seed`, the CRC32C of what came before. Source: RFC 3720, appendix B.4. */
export function crc32c(bytes: Uint8Array, seed = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables;
  if (!t0 || !t1 || !t2 || !t3 || !t4 || !t5 || !t6 || !t7) throw new Error("there are eight tables");
  const at = (table: Uint32Array, byte: number): number => table[byte & 0xff] ?? 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let crc = ~seed;
  let i = 0;
  for (; i + 8 <= bytes.byteLength; i += 8) {
    const low = crc ^ view.getUint32(i, true);
    const high = view.getUint32(i + 4, true);
    crc =
      at(t7, low) ^ at(t6, low >>> 8) ^ at(t5, low >>> 16) ^ at(t4, low >>> 24) ^
      at(t3, high) ^ at(t2, high >>> 8) ^ at(t1, high >>> 16) ^ at(t0, high >>> 24);
  }
  for (; i < bytes.byteLength; ++i) crc = (crc >>> 8) ^ at(t0, crc ^ view.getUint8(i));
  return ~crc >>> 0;
}
