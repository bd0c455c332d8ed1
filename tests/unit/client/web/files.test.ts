// SPDX-License-Identifier: Apache-2.0
import { createHash, webcrypto } from "node:crypto";
import { describe, expect, test, vi } from "vitest";
import { plainSha256, sha256 } from "@viewer/api/sha256";
import { hasPly, npzFile, plyFiles } from "@viewer/download/frame_files";
import { writeNpy } from "@viewer/download/npy";
import { writePly } from "@viewer/download/ply";
import { crc32, writeZip } from "@viewer/download/zip";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import { frame } from "./frames";
import { airLayout, cells } from "./gas";

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const bytesOf = async (blob: Blob): Promise<Uint8Array> => new Uint8Array(await blob.arrayBuffer());

vi.stubGlobal("crypto", webcrypto); // Node 18 has it under this name alone.

describe("SHA-256", () => {
  test.each([0, 1, 55, 56, 63, 64, 65, 1000])("of %i bytes is Node's", async (length) => {
    const data = Uint8Array.from({ length }, (_, i) => (i * 7 + 3) & 255);
    const expected = createHash("sha256").update(data).digest("hex");
    expect(Buffer.from(plainSha256(data)).toString("hex")).toBe(expected);
    expect(await sha256(data)).toBe(expected);
  });
});

describe("downloads", () => {
  test("a PLY file has its head and its numbers where the format says", async () => {
    const values = Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9);
    const columns = ["x", "y", "z"].map((name, offset) => ({ name, values, offset, stride: 3 }));
    const file = await bytesOf(writePly(["two\nlines"], 3, columns, Uint32Array.of(0, 1, 2)));
    const end = text(file).indexOf("end_header\n") + "end_header\n".length;
    expect(text(file.subarray(0, end)).split("\n")).toEqual([
      "ply", "format binary_little_endian 1.0", "comment two lines", "element vertex 3", "property float x", "property float y",
      "property float z", "element face 1", "property list uchar int vertex_indices", "end_header", "",
    ]);
    const body = new DataView(file.buffer, end);
    expect(body.byteLength).toBe(3 * 12 + 13);
    expect(body.getFloat32(4 * 5, true)).toBe(6);
    expect([body.getUint8(36), body.getInt32(37, true), body.getInt32(45, true)]).toEqual([3, 0, 2]);
  });

  test("a NumPy file is aligned and says its shape", () => {
    const file = writeNpy(Float32Array.of(1.5, -2), [1, 2]);
    const headLength = 10 + new DataView(file.buffer).getUint16(8, true);
    expect(headLength % 64).toBe(0);
    expect(text(file.subarray(0, 8))).toBe("\x93NUMPY\x01\0");
    expect(text(file.subarray(10, headLength))).toMatch(/^\{'descr': '<f4', 'fortran_order': False, 'shape': \(1, 2\), \} *\n$/);
    expect(new DataView(file.buffer, headLength).getFloat32(4, true)).toBe(-2);
  });

  test("a gas has its numbers along z, y and x, and no PLY file", async () => {
    const layout = airLayout([4, 3, 2]);
    const arrays = [cells(Field.SMOKE, Array<number>(24).fill(1)), cells(Field.DYE, Array<number>(72).fill(1), 3)];
    const gas = { ...frame(0), arrays };
    const archive = text(await bytesOf(npzFile(gas, layout, "frame").content));
    expect(archive).toMatch(/air\.smoke\.npy[^]*'shape': \(2, 3, 4\), [^]*air\.dye\.npy[^]*'shape': \(2, 3, 4, 3\), /);
    expect(plyFiles(gas, layout, "frame")).toEqual([]);
    expect(hasPly(layout)).toBe(false);
  });

  test("a ZIP file's parts point at each other", async () => {
    const data = new TextEncoder().encode("123456789");
    expect(crc32(data)).toBe(0xcbf43926); // The check value of CRC-32.
    const file = await bytesOf(writeZip([{ name: "a.npy", data }, { name: "b.npy", data: data.subarray(0, 4) }]));
    const view = new DataView(file.buffer);
    const end = file.byteLength - 22;
    expect(view.getUint32(end, true)).toBe(0x06054b50);
    expect(view.getUint16(end + 10, true)).toBe(2);
    let entry = view.getUint32(end + 16, true);
    for (const [name, content] of [["a.npy", "123456789"], ["b.npy", "1234"]] as const) {
      expect(view.getUint32(entry, true)).toBe(0x02014b50);
      const local = view.getUint32(entry + 42, true);
      expect(view.getUint32(local, true)).toBe(0x04034b50);
      const begin = local + 30 + name.length;
      expect(text(file.subarray(local + 30, begin))).toBe(name);
      expect(text(file.subarray(begin, begin + view.getUint32(local + 18, true)))).toBe(content);
      entry += 46 + name.length;
    }
    expect(entry).toBe(end);
  });
});
