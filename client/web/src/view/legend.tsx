// SPDX-License-Identifier: Apache-2.0
import { plainNumber } from "@viewer/words/numbers";
import { colourGradient } from "./colour_maps";
import type { ValueRange } from "./value_range";
import { factsOf, mapOf, type ViewSettings } from "./view_settings";

export function Legend({ settings, range }: { readonly settings: ViewSettings; readonly range: ValueRange }) {
  const { label, unit } = factsOf(settings.colourBy);
  const middle = (range.least + range.most) / 2;
  return (
    <figure class="legend" aria-label={`${label} from ${plainNumber(range.least)} to ${plainNumber(range.most)} ${unit}`}>
      <figcaption>{label} <span class="unit">{unit}</span></figcaption>
      <div class="legend-bar" style={{ background: colourGradient(mapOf(settings)) }} />
      <div class="legend-ticks">
        <span>{plainNumber(range.least)}</span><span>{plainNumber(middle)}</span><span>{plainNumber(range.most)}</span>
      </div>
    </figure>
  );
}
