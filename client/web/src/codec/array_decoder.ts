// SPDX-License-Identifier: Apache-2.0
import { Codec, Predictor } from "@viewer/gen/sluice/v1/frames_pb";
import { decodeVertices } from "./meshopt";
import { decodePlanes } from "./planes_zstd";
import { addPrediction, takeRows, wordsOf, type History, type Words } from "./prediction";

/** How an array is coded: what its descriptor says. */
export interface Coding {
  readonly codec: Codec;
  readonly predictor: Predictor;
  /** Rows. */
  readonly count: number;
  /** Numbers a row. */
  readonly components: number;
  /** Bits of a number, in [8, 24]. */
  readonly bits: number;
}

/**
 * The quantised integers of an array, row by row; `history` has those that the predictor names. They are written over `spare`
 * if it has their number and width: it may be `history.before`. Throws where the bytes are not what `coding` says or the
 * history is not there. `meshoptReady` must have settled before.
 */
export function decodeArray(bytes: Uint8Array, coding: Coding, history: History, spare?: Words): Words {
  const { codec, predictor, count, components, bits } = coding;
  const words = wordsOf(bits, count * components, spare);
  if (words.length === 0) {
    if (bytes.byteLength > 0) throw new Error("an array without rows has bytes");
    return words;
  }
  const wordBytes = bits <= 16 ? 2 : 4;
  if (codec === Codec.Q16_MESHOPT) {
    const rows = decodeVertices(bytes, count, components, wordBytes);
    // The vertex codec takes differences of its own: its keys are the integers themselves.
    if (predictor === Predictor.NONE) takeRows(rows, words, components);
    else addPrediction(rows, words, components, predictor, history);
  } else if (codec === Codec.Q16_PLANES_ZSTD) {
    addPrediction(decodePlanes(bytes, count, components, wordBytes), words, components, predictor, history);
  } else {
    throw new Error(`codec ${codec} is not a quantised one`);
  }
  return words;
}
