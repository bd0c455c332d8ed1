// SPDX-License-Identifier: Apache-2.0
import { WarningKind } from "@viewer/gen/sluice/v1/frames_pb";
import type { SessionWarning } from "@viewer/gen/sluice/v1/sessions_pb";
import { count } from "@viewer/words/numbers";

const kinds: Readonly<Record<WarningKind, string>> = {
  [WarningKind.UNSPECIFIED]: "Warning",
  [WarningKind.VOLUME_LOST]: "Volume lost",
  [WarningKind.NOT_CONVERGED]: "Not converged",
  [WarningKind.ENERGY_GREW]: "Energy grew",
  [WarningKind.CROSSING]: "Something crossed",
  [WarningKind.PARTICLES_LOST]: "Particles lost",
  [WarningKind.EMITTER_BLOCKED]: "Emitter blocked",
  [WarningKind.STOPPED_SHORT]: "Stopped short",
  [WarningKind.SLOW_FRAME]: "Slow frame",
  [WarningKind.DETAIL_LOST]: "Detail lost",
};

/** A kind and what it is about: `Volume lost: water`. A kind that a newer server has is a warning like the others. */
export function warningTitle({ kind, body }: { readonly kind: WarningKind; readonly body: string }): string {
  const words = (kinds as Readonly<Record<number, string>>)[kind] ?? kinds[WarningKind.UNSPECIFIED];
  return body === "" ? words : `${words}: ${body}`;
}

/** `1 warning`, `3 warnings`. */
export function warningCount(warnings: number): string {
  return `${count(warnings)} ${warnings === 1 ? "warning" : "warnings"}`;
}

/** Which frames have it: `in frame 12`, `in 3 frames from 12 to 40`. */
export function framesWords({ firstFrameIndex, lastFrameIndex, frameCount }: SessionWarning): string {
  if (frameCount <= 1n || firstFrameIndex === lastFrameIndex) return `in frame ${firstFrameIndex}`;
  return `in ${count(frameCount)} frames from ${firstFrameIndex} to ${lastFrameIndex}`;
}
