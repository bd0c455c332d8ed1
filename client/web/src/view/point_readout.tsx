// SPDX-License-Identifier: Apache-2.0
import { plainNumber } from "@viewer/words/numbers";
import type { Plane } from "./field_bins";
import type { FieldFacts } from "./view_settings";

/** A point of a plane, in metres, and the field's numbers there, if there are any. */
export interface Readout {
  readonly right: number;
  readonly up: number;
  readonly values: readonly number[] | undefined;
}

/** Reads off the 2D view what lies under the pointer. */
export function PointReadout({ plane, field, at }: { readonly plane: Plane; readonly field: FieldFacts; readonly at: Readout }) {
  const [right, up] = plane;
  return (
    <output class="point-readout" data-testid="readout">
      <span class="axes">{right} {plainNumber(at.right)}, {up} {plainNumber(at.up)} m</span>
      <span>{at.values === undefined ? "–" : `${field.label} ${at.values.map(plainNumber).join(", ")} ${field.unit}`}</span>
    </output>
  );
}
