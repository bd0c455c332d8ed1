// SPDX-License-Identifier: Apache-2.0
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import type { DecodedFrame } from "@viewer/stream/decoded_frame";

/** A frame of one body of `count` particles. */
export function frame(index: number, count = 1): DecodedFrame {
  const words = new Float32Array(count * 3);
  return {
    cursor: { epoch: 0, index },
    timeSeconds: index / 60,
    arrays: [{ body: "water", field: Field.POSITION, count, components: 3, words, origin: [0, 0, 0], step: [1, 1, 1] }],
    figures: undefined,
    obstacleOffsets: {},
    wireByteCount: words.byteLength,
  };
}
