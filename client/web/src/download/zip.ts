// SPDX-License-Identifier: Apache-2.0

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; ++bit) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** The CRC-32 of ZIP and PNG. */
export function crc32(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = (table[(crc ^ byte) & 255] ?? 0) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

export interface ZipEntry {
  readonly name: string;
  readonly data: Uint8Array;
}

/** 1980-01-01, the earliest that ZIP knows: the same frame gives the same file. */
const noDate = 0x00210000;

/** A ZIP file of uncompressed entries with ASCII names (PKWARE APPNOTE 6.3.10, 4.3). A .npz is one of .npy files. */
export function writeZip(entries: readonly ZipEntry[]): Blob {
  const parts: BlobPart[] = [];
  const directory: BlobPart[] = [];
  let offset = 0;
  let directoryBytes = 0;
  for (const { name, data } of entries) {
    const nameBytes = new TextEncoder().encode(name);
    const common = new DataView(new ArrayBuffer(26));
    common.setUint16(0, 20, true); // Version needed.
    common.setUint32(6, noDate, true);
    common.setUint32(10, crc32(data), true);
    common.setUint32(14, data.byteLength, true);
    common.setUint32(18, data.byteLength, true);
    common.setUint16(22, nameBytes.byteLength, true);
    const place = new DataView(new ArrayBuffer(14)); // Comment, disk and attributes stay 0; then the offset.
    place.setUint32(10, offset, true);
    parts.push(Uint8Array.of(0x50, 0x4b, 3, 4), common.buffer, nameBytes, data as Uint8Array<ArrayBuffer>);
    directory.push(Uint8Array.of(0x50, 0x4b, 1, 2, 20, 0), common.buffer, place.buffer, nameBytes);
    offset += 30 + nameBytes.byteLength + data.byteLength;
    directoryBytes += 46 + nameBytes.byteLength;
  }
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(8, entries.length, true);
  end.setUint16(10, entries.length, true);
  end.setUint32(12, directoryBytes, true);
  end.setUint32(16, offset, true);
  return new Blob([...parts, ...directory, end.buffer], { type: "application/zip" });
}
