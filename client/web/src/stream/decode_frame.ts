// SPDX-License-Identifier: Apache-2.0
import { meshoptReady } from "@viewer/codec/meshopt";
import { StreamDecoder } from "@viewer/codec/stream_decoder";
import { Codec, type ArrayDescriptor, type FrameHeader } from "@viewer/gen/sluice/v1/frames_pb";
import type { DecodedArray, DecodedFrame, FrameFigures } from "./decoded_frame";
import type { EncodedFrame } from "./frame_assembler";

/** Settles when frames can be decoded. */
export const decoderReady: Promise<void> = meshoptReady;

/** Turns the frames of one stream, in the order they came, into arrays of numbers. */
export class FrameDecoder {
  private readonly quantised = new StreamDecoder();

  decode(frame: EncodedFrame): DecodedFrame {
    const { header } = frame;
    return {
      cursor: { epoch: Number(header.cursor?.epoch ?? 0n), index: Number(header.cursor?.index ?? 0n) },
      timeSeconds: header.timeSeconds,
      arrays: header.arrays.map((descriptor, i) => this.decodeArray(descriptor, frame.arrays[i] ?? new Uint8Array())),
      figures: figuresOf(header),
      obstacleOffsets: Object.fromEntries(header.obstacleOffsets.map(({ body, offset }) => [body, offset])),
      wireByteCount: frame.arrays.reduce((sum, bytes) => sum + bytes.byteLength, 0),
    };
  }

  private decodeArray(descriptor: ArrayDescriptor, bytes: Uint8Array): DecodedArray {
    const components = descriptor.componentCount;
    const shape = { body: descriptor.body, field: descriptor.field, count: Number(descriptor.count), components };
    if (descriptor.codec === Codec.F32 || descriptor.codec === Codec.UNSPECIFIED) {
      const words = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
      return { ...shape, words, origin: Array<number>(components).fill(0), step: Array<number>(components).fill(1) };
    }
    const { q, origin, step } = this.quantised.decode(descriptor, bytes);
    // The frames to come build upon `q`: what goes to the page is a copy.
    return { ...shape, words: q.slice(), origin, step };
  }
}

function figuresOf(header: FrameHeader): FrameFigures | undefined {
  const s = header.statistics;
  if (s === undefined) return undefined;
  return {
    substepCount: Number(s.substepCount),
    iterationCount: Number(s.iterationCount),
    residual: s.residual,
    smallestGap: s.smallestGap,
    contactCount: Number(s.contactCount),
    particleCount: Number(s.particleCount),
    cellCounts: s.cellCounts.map(Number),
    kineticEnergy: s.kineticEnergy,
    potentialEnergy: s.potentialEnergy,
    momentum: s.momentum,
    certificate: s.certificate && {
      substepCount: Number(s.certificate.substepCount),
      crossingCount: Number(s.certificate.crossingCount),
      jumpCount: Number(s.certificate.jumpCount),
      firstCrossing: s.certificate.firstCrossing,
    },
    warnings: s.warnings.map(({ kind, body, message }) => ({ kind, body, message })),
    solveSeconds: s.solveSeconds,
    stageSeconds: Object.fromEntries(s.stageTimes.map(({ stage, seconds }) => [stage, seconds])),
  };
}
