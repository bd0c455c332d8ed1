// SPDX-License-Identifier: Apache-2.0
// Oracle: the vectors' frames, in the order a stream would send them.
import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { meshoptReady } from "@viewer/codec/meshopt";
import { StreamDecoder } from "@viewer/codec/stream_decoder";
import { ArrayDescriptorSchema, Codec, Field, Predictor, type ArrayDescriptor } from "@viewer/gen/sluice/v1/frames_pb";

interface Vector {
  name: string;
  words: string;
  codings: { codec: Codec; predictor: Predictor; bytes: string }[];
}

const [moving] = JSON.parse(
  readFileSync(new URL("../../../../data/codec/vectors.json", import.meta.url), "utf8"),
) as Vector[];

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"));

function bytesBy(predictor: Predictor): Uint8Array {
  const coding = moving?.codings.find((each) => each.codec === Codec.Q16_MESHOPT && each.predictor === predictor);
  return bytesOf(coding?.bytes ?? "");
}

function descriptor(predictor: Predictor, body = "water"): ArrayDescriptor {
  return create(ArrayDescriptorSchema, {
    body,
    field: Field.POSITION,
    count: 200n,
    componentCount: 3,
    codec: Codec.Q16_MESHOPT,
    predictor,
    quantization: { origin: [0, 0, 0], step: [1, 1, 1], bits: 16 },
  });
}

beforeAll(() => meshoptReady);

describe("a stream", () => {
  const key = bytesBy(Predictor.NONE);
  const next = bytesBy(Predictor.PREVIOUS);
  const linear = bytesBy(Predictor.LINEAR);

  test("keeps for each array what the next frame builds upon", () => {
    const decoder = new StreamDecoder();
    const words = new Uint16Array(bytesOf(moving?.words ?? "").buffer);
    const { q, origin, step } = decoder.decode(descriptor(Predictor.NONE), key);
    expect(q).toEqual(words);
    expect([origin, step]).toEqual([[0, 0, 0], [1, 1, 1]]);
    const second = decoder.decode(descriptor(Predictor.PREVIOUS), next).q;
    expect(second).not.toEqual(words);
    expect(() => decoder.decode(descriptor(Predictor.PREVIOUS, "oil"), next)).toThrow("did not come");
    expect(() => decoder.decode(descriptor(Predictor.LINEAR), linear)).not.toThrow();
  });

  test("goes on right while it writes over what it no longer needs", () => {
    const decoder = new StreamDecoder();
    const frames = [Predictor.NONE, Predictor.PREVIOUS, ...Array<Predictor>(5).fill(Predictor.LINEAR)].map((predictor) => {
      const bytes = predictor === Predictor.NONE ? key : predictor === Predictor.PREVIOUS ? next : linear;
      return decoder.decode(descriptor(predictor), bytes).q.slice();
    });
    const bend = (t: number): number[] =>
      [...(frames[t] ?? [])].map((x, i) => (x - 2 * (frames[t - 1]?.[i] ?? 0) + (frames[t - 2]?.[i] ?? 0)) & 0xffff);
    // The same residuals each time: the same second difference.
    for (let t = 3; t < frames.length; ++t) expect(bend(t)).toEqual(bend(2));
  });

  test("builds upon nothing from before a key, or before a reset", () => {
    const decoder = new StreamDecoder();
    decoder.decode(descriptor(Predictor.NONE), key);
    decoder.decode(descriptor(Predictor.PREVIOUS), next);
    decoder.decode(descriptor(Predictor.NONE), key);
    expect(() => decoder.decode(descriptor(Predictor.LINEAR), linear)).toThrow("did not come");
    decoder.decode(descriptor(Predictor.PREVIOUS), next);
    decoder.reset();
    expect(() => decoder.decode(descriptor(Predictor.PREVIOUS), next)).toThrow("did not come");
  });

  test("is refused where an array does not say what its integers mean", () => {
    const bare = create(ArrayDescriptorSchema, { codec: Codec.Q16_MESHOPT });
    expect(() => new StreamDecoder().decode(bare, key)).toThrow("does not say");
  });
});
