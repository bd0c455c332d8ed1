// SPDX-License-Identifier: Apache-2.0
// Oracle: the vectors that the C++ encoder writes, byte for byte (tests/data/codec/README.md).
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { decodeArray } from "@viewer/codec/array_decoder";
import { crc32c } from "@viewer/codec/crc32c";
import { meshoptReady } from "@viewer/codec/meshopt";
import type { Words } from "@viewer/codec/prediction";
import { Codec, Predictor } from "@viewer/gen/sluice/v1/frames_pb";

interface Vector {
  name: string;
  count: number;
  component_count: number;
  bits: number;
  origin: number[];
  step: number[];
  words: string;
  previous: string;
  before: string;
  values: string;
  codings: { codec: Codec; predictor: Predictor; crc32c: number; bytes: string }[];
}

const vectors = JSON.parse(
  readFileSync(new URL("../../../../data/codec/vectors.json", import.meta.url), "utf8"),
) as Vector[];

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"));

function wordsOf(hex: string, bits: number): Words {
  const { buffer } = bytesOf(hex);
  return bits <= 16 ? new Uint16Array(buffer) : new Uint32Array(buffer);
}

beforeAll(() => meshoptReady);

describe.each(vectors)("$name", (vector) => {
  const { bits, count, component_count: components } = vector;
  const history = { previous: wordsOf(vector.previous, bits), before: wordsOf(vector.before, bits) };
  const words = wordsOf(vector.words, bits);

  test.each(vector.codings)("codec $codec, predictor $predictor", (coding) => {
    const bytes = bytesOf(coding.bytes);
    expect(crc32c(bytes)).toBe(coding.crc32c);
    expect(decodeArray(bytes, { ...coding, count, components, bits }, history)).toEqual(words);
  });

  test("its numbers", () => {
    const values = new Float32Array(bytesOf(vector.values).buffer);
    expect(values.length).toBe(words.length);
    const back = Float32Array.from(words, (q, i) => {
      const c = i % components;
      return (vector.origin[c] ?? NaN) + (vector.step[c] ?? NaN) * q;
    });
    expect(back).toEqual(values);
  });

  test("is refused without what it builds upon", () => {
    const later = vector.codings.filter(({ predictor }) => predictor !== Predictor.NONE && count > 0);
    for (const coding of later) {
      const wanted = { ...coding, count, components, bits };
      const bytes = bytesOf(coding.bytes);
      expect(() => decodeArray(bytes, wanted, {})).toThrow("did not come");
      expect(() => decodeArray(bytes, wanted, { previous: history.previous.slice(1) })).toThrow("did not come");
    }
  });

  test("is refused where it is cut short, or of another shape", () => {
    for (const coding of vector.codings.filter(() => count > 0)) {
      const bytes = bytesOf(coding.bytes);
      const wanted = { ...coding, count, components, bits };
      expect(() => decodeArray(bytes.subarray(0, bytes.length - 1), wanted, history)).toThrow();
      expect(() => decodeArray(bytes, { ...wanted, predictor: Predictor.NONE, count: count + 64 }, {})).toThrow();
      expect(() => decodeArray(bytes, { ...wanted, predictor: Predictor.NONE, count: 0 }, {})).toThrow();
      expect(() => decodeArray(bytes, { ...wanted, codec: Codec.F32 }, history)).toThrow("not a quantised one");
    }
  });
});

test("CRC32C is that of RFC 3720, in one piece and in several", () => {
  const ascending = Uint8Array.from({ length: 32 }, (_, i) => i);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
  expect(crc32c(ascending)).toBe(0x46dd794e);
  expect(crc32c(ascending.subarray(5), crc32c(ascending.subarray(0, 5)))).toBe(0x46dd794e);
  expect(crc32c(new Uint8Array())).toBe(0);
});
