// SPDX-License-Identifier: Apache-2.0
import type { FrameHeader, StreamFramesResponse } from "@viewer/gen/sluice/v1/frames_pb";

/** A frame as it came: the bytes of each array of its header, in order. */
export interface EncodedFrame {
  readonly header: FrameHeader;
  readonly arrays: readonly Uint8Array[];
}

/**
 * Puts the parts of a stream together. The chunks' checksums are for files and proxies that rewrite: here TCP has checked
 * the bytes already, so only their places and counts are.
 */
export class FrameAssembler {
  private header: FrameHeader | undefined;
  private arrays: Uint8Array[] = [];
  private missingByteCount = 0;

  /** Takes the next part; answers with the frame that it completes. Throws where the stream breaks its contract. */
  take(part: StreamFramesResponse["part"]): EncodedFrame | undefined {
    if (part.case === "header") this.begin(part.value);
    else if (part.case === "chunk") this.add(part.value.array, Number(part.value.offset), part.value.data);
    else return undefined;
    if (this.header === undefined || this.missingByteCount > 0) return undefined;
    const frame = { header: this.header, arrays: this.arrays };
    this.header = undefined;
    return frame;
  }

  private begin(header: FrameHeader): void {
    if (this.header !== undefined) throw new Error("a frame began before the one before it was whole");
    this.header = header;
    this.arrays = header.arrays.map((array) => new Uint8Array(Number(array.byteCount)));
    this.missingByteCount = this.arrays.reduce((sum, array) => sum + array.byteLength, 0);
  }

  private add(index: number, offset: number, data: Uint8Array): void {
    const array = this.arrays[index];
    if (this.header === undefined || array === undefined || offset + data.byteLength > array.byteLength)
      throw new Error("a chunk does not fit its frame");
    array.set(data, offset);
    this.missingByteCount -= data.byteLength;
  }
}
