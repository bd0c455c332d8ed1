// SPDX-License-Identifier: Apache-2.0
// The messages between the page and the worker that fetches and decodes frames.
import type { Codec, Field } from "@viewer/gen/sluice/v1/frames_pb";
import type { DecodedFrame, FrameCursor, FrameFigures } from "./decoded_frame";

/** The frames that a stream is to bring. */
export interface StreamOrder {
  readonly session: string;
  /** The newest frames only, skipping; else every `stride`-th from `cursor` on. */
  readonly latest: boolean;
  readonly cursor?: FrameCursor;
  readonly stride: number;
  /** Ends after this many frames; unbounded if omitted. */
  readonly frameCount?: number;
  readonly existingOnly: boolean;
  readonly bodies: readonly string[];
  readonly fields: readonly Field[];
  readonly codec: Codec;
  /** Bits of quantised numbers, in [8, 24]; the server's 16 if omitted. */
  readonly bits?: number;
  readonly maxInFlight: number;
}

export type ToWorker =
  | { readonly kind: "connect"; readonly origin: string }
  | { readonly kind: "open"; readonly id: number; readonly order: StreamOrder }
  | { readonly kind: "ack"; readonly id: number; readonly cursor: FrameCursor }
  | { readonly kind: "close"; readonly id: number }
  | { readonly kind: "history"; readonly id: number; readonly order: StreamOrder };

export type FromWorker =
  | { readonly kind: "opened"; readonly id: number }
  | { readonly kind: "frame"; readonly id: number; readonly frame: DecodedFrame }
  | { readonly kind: "lost"; readonly id: number; readonly retrySeconds: number; readonly message: string }
  | { readonly kind: "ended"; readonly id: number }
  | { readonly kind: "failed"; readonly id: number; readonly message: string }
  | { readonly kind: "figures"; readonly id: number; readonly points: readonly FigurePoint[]; readonly isLast: boolean };

/** The figures of one frame, for the plots. */
export interface FigurePoint {
  readonly index: number;
  readonly timeSeconds: number;
  readonly figures: FrameFigures;
}
