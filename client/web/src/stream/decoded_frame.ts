// SPDX-License-Identifier: Apache-2.0
import type { Field, WarningKind } from "@viewer/gen/sluice/v1/frames_pb";

/** Which frame; both numbers fit a double. */
export interface FrameCursor {
  readonly epoch: number;
  readonly index: number;
}

/** Asks for a frame whatever epoch it is in: `Cursor.epoch`. From one to the next only particles change, and arrays say how many. */
export function frameAt(index: number): FrameCursor {
  return { epoch: 0, index };
}

/**
 * One array of a frame as the shaders take it: component c of a row is `origin[c] + step[c] * words[row * components + c]`.
 * Float arrays have origin 0 and step 1.
 */
export interface DecodedArray {
  readonly body: string;
  readonly field: Field;
  readonly count: number;
  readonly components: number;
  readonly words: Uint16Array | Uint32Array | Float32Array;
  readonly origin: readonly number[];
  readonly step: readonly number[];
}

/** FrameHeader.statistics as plain numbers, so that it crosses from the worker to the page. */
export interface FrameFigures {
  readonly substepCount: number;
  readonly iterationCount: number;
  readonly residual: number;
  readonly smallestGap: number;
  readonly contactCount: number;
  readonly particleCount: number;
  /** Cells of each size, the smallest first; empty where all have one size. */
  readonly cellCounts: readonly number[];
  readonly kineticEnergy: number;
  readonly potentialEnergy: number;
  readonly momentum: readonly number[];
  /** The figures of the crossing certificate for the frame; undefined where the session has none. */
  readonly certificate: CertificateFigures | undefined;
  /** The warnings of the frame, which did not end the session. */
  readonly warnings: readonly FrameWarning[];
  readonly solveSeconds: number;
  readonly stageSeconds: Readonly<Record<string, number>>;
}

/** FrameStatistics.warnings, as far as they are shown. */
export interface FrameWarning {
  readonly kind: WarningKind;
  readonly body: string;
  readonly message: string;
}

/** FrameStatistics.certificate, as far as it is shown. */
export interface CertificateFigures {
  readonly substepCount: number;
  readonly crossingCount: number;
  readonly jumpCount: number;
  /** In words; empty without one. */
  readonly firstCrossing: string;
}

/** A frame, decoded in the worker and handed to the page without a copy. */
export interface DecodedFrame {
  readonly cursor: FrameCursor;
  readonly timeSeconds: number;
  readonly arrays: readonly DecodedArray[];
  readonly figures: FrameFigures | undefined;
  readonly obstacleOffsets: Readonly<Record<string, readonly number[]>>;
  /** Bytes of the arrays as they came over the wire. */
  readonly wireByteCount: number;
}

export function arrayOf(frame: DecodedFrame, body: string, field: Field): DecodedArray | undefined {
  return frame.arrays.find((array) => array.body === body && array.field === field);
}

/** Bytes that the frame holds in memory. */
export function byteCountOf(frame: DecodedFrame): number {
  return frame.arrays.reduce((sum, array) => sum + array.words.byteLength, 0);
}

/** The numbers of an array as float32, row by row; less `from`, one number a component, before they are rounded. */
export function valuesOf(array: DecodedArray, from: readonly number[] = []): Float32Array {
  const { words, components, origin, step } = array;
  if (words instanceof Float32Array && from.every((x) => x === 0)) return words;
  const values = new Float32Array(words.length);
  for (let c = 0; c < components; ++c) {
    const o = (origin[c] ?? 0) - (from[c] ?? 0);
    const s = step[c] ?? 1;
    for (let i = c; i < words.length; i += components) values[i] = o + s * (words[i] ?? 0);
  }
  return values;
}
