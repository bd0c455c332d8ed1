// SPDX-License-Identifier: Apache-2.0
import { plainNumber } from "@viewer/words/numbers";
import { niceStep } from "./box3d";
import type { Plane } from "./field_bins";

/** About how long the bar is, in pixels of the page. */
const wantedPixels = 110;

/** The scale of the 2D view: which axes it shows, and how long a metre is. */
export function ScaleBar({ plane, pixelsPerMetre }: { readonly plane: Plane; readonly pixelsPerMetre: number }) {
  // niceStep divides a length into about ten.
  const metres = niceStep((10 * wantedPixels) / pixelsPerMetre);
  const words = metres >= 1 ? `${plainNumber(metres)} m` : metres >= 0.01 ? `${plainNumber(metres * 100)} cm` : `${plainNumber(metres * 1000)} mm`;
  const [right, up] = plane;
  return (
    <div class="scale-bar" aria-label={`${right ?? ""} to the right, ${up ?? ""} up; the bar is ${words}`} role="img">
      <span class="axes">{up}↑ {right}→</span>
      <span class="bar-length" style={{ width: `${metres * pixelsPerMetre}px` }} />
      <span>{words}</span>
    </div>
  );
}
