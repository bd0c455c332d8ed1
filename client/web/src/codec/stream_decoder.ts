// SPDX-License-Identifier: Apache-2.0
import { Codec, Predictor, type ArrayDescriptor } from "@viewer/gen/sluice/v1/frames_pb";
import { decodeArray } from "./array_decoder";
import type { History, Words } from "./prediction";

/** Component c of a row is `origin[c] + step[c] * q[row * components + c]`. */
export interface QuantisedArray {
  readonly q: Words;
  readonly origin: readonly number[];
  readonly step: readonly number[];
}

/** Decodes the quantised arrays of one stream, in the order they come; keeps what the next ones build upon. */
export class StreamDecoder {
  private readonly histories = new Map<string, History>();

  /**
   * The array that `bytes` are. Its `q` is kept for the frames to come, and written over by the one after the next: copy it
   * before giving its buffer away. Throws where the stream breaks its contract; then only a new stream helps.
   */
  decode(descriptor: ArrayDescriptor, bytes: Uint8Array): QuantisedArray {
    const { codec, predictor, quantization } = descriptor;
    if (quantization === undefined) throw new Error(`an array in codec ${Codec[codec]} does not say what its integers mean`);
    const key = `${descriptor.field} ${descriptor.body}`;
    const kept = this.histories.get(key) ?? {};
    const history = predictor === Predictor.NONE ? {} : kept;
    const coding = {
      codec,
      predictor,
      count: Number(descriptor.count),
      components: descriptor.componentCount,
      bits: quantization.bits,
    };
    const q = decodeArray(bytes, coding, history, kept.before);
    this.histories.set(key, { previous: q, before: history.previous });
    return { q, origin: quantization.origin, step: quantization.step };
  }

  /** Forgets what was sent: for a new stream. */
  reset(): void {
    this.histories.clear();
  }
}
