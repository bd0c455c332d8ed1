// SPDX-License-Identifier: Apache-2.0
import { Predictor } from "@viewer/gen/sluice/v1/frames_pb";

/** Quantised integers: 2 bytes each up to 16 bits, 4 above. */
export type Words = Uint16Array | Uint32Array;

/** Coded rows as a byte codec leaves them: `stride` words from one row to the next, of which the first are the row's. */
export interface CodedRows {
  readonly words: Words;
  readonly stride: number;
}

/** The integers of the frames before, as far as the stream has sent them since the last key. */
export interface History {
  /** x(t-1) */
  readonly previous?: Words | undefined;
  /** x(t-2) */
  readonly before?: Words | undefined;
}

/** Room for `size` integers: `spare` if it is just that, as fresh memory costs more than what is written into it. */
export function wordsOf(bits: number, size: number, spare?: Words): Words {
  if (spare?.length === size && spare.BYTES_PER_ELEMENT === (bits <= 16 ? 2 : 4)) return spare;
  return bits <= 16 ? new Uint16Array(size) : new Uint32Array(size);
}

/** Whether two arrays have the same width and length. */
function areAlike(a: Words, b: Words | undefined): b is Words {
  return a.length === b?.length && a.BYTES_PER_ELEMENT === b.BYTES_PER_ELEMENT;
}

/** Copies the rows as they are. */
export function takeRows({ words, stride }: CodedRows, out: Words, components: number): void {
  for (let from = 0, to = 0; to < out.length; from += stride, to += components)
    for (let c = 0; c < components; ++c) out[to + c] = words[from + c] ?? 0;
}

/**
 * Turns residuals into integers (proto/sluice/v1/frames.proto, Predictor): their sum down a component is what the prediction
 * leaves, so x = 2 x(t-1) - x(t-2) + sum. That is every predictor: with x(t-1) for x(t-2) it is PREVIOUS, with zeros for both
 * it is NONE. Storing into `out` is what makes it modulo 2^16 or 2^32.
 */
export function addPrediction(rows: CodedRows, out: Words, components: number, predictor: Predictor, history: History): void {
  const [previous, before] = operands(out, predictor, history);
  if (components === 3) addTriples(rows, out, previous, before);
  else for (let c = 0; c < components; ++c) addComponent(rows, out, previous, before, c, components);
}

function operands(out: Words, predictor: Predictor, { previous, before }: History): [Words, Words] {
  if (predictor === Predictor.NONE) {
    const zeros = out.slice().fill(0);
    return [zeros, zeros];
  }
  if (!areAlike(out, previous)) throw new Error("an array builds upon a frame that did not come");
  if (predictor === Predictor.PREVIOUS) return [previous, previous];
  if (predictor !== Predictor.LINEAR || !areAlike(out, before))
    throw new Error("an array builds upon two frames that did not come");
  return [previous, before];
}

function addComponent(rows: CodedRows, out: Words, previous: Words, before: Words, c: number, components: number): void {
  const { words, stride } = rows;
  let sum = 0;
  for (let from = c, to = c; to < out.length; from += stride, to += components) {
    sum = (sum + undoZigzag(words[from] ?? 0)) | 0;
    out[to] = sum + 2 * (previous[to] ?? 0) - (before[to] ?? 0);
  }
}

/** Does what `addComponent` does for each of three components: one walk through memory, a third faster. */
function addTriples({ words, stride }: CodedRows, out: Words, previous: Words, before: Words): void {
  let x = 0;
  let y = 0;
  let z = 0;
  for (let from = 0, to = 0; to < out.length; from += stride, to += 3) {
    x = (x + undoZigzag(words[from] ?? 0)) | 0;
    y = (y + undoZigzag(words[from + 1] ?? 0)) | 0;
    z = (z + undoZigzag(words[from + 2] ?? 0)) | 0;
    out[to] = x + 2 * (previous[to] ?? 0) - (before[to] ?? 0);
    out[to + 1] = y + 2 * (previous[to + 1] ?? 0) - (before[to + 1] ?? 0);
    out[to + 2] = z + 2 * (previous[to + 2] ?? 0) - (before[to + 2] ?? 0);
  }
}

function undoZigzag(code: number): number {
  return (code >>> 1) ^ -(code & 1);
}
