// SPDX-License-Identifier: Apache-2.0
import { ColourChoice, Section, Slider, Toggle } from "@viewer/controls/fields";
import { plainNumber } from "@viewer/words/numbers";
import { Carried, type Gas } from "@viewer/gen/sluice/v1/scene_pb";
import type { SteerSettings } from "./steer_settings";
import { carriedBy } from "./stroke_command";

interface PaintSectionProps {
  readonly gas: Gas;
  readonly settings: SteerSettings;
  /** The domain's diagonal, in metres. */
  readonly diagonal: number;
  readonly change: (part: Partial<SteerSettings>) => void;
}

/** What strokes leave in a gas. */
export function PaintSection({ gas, settings, diagonal, change }: PaintSectionProps) {
  const carries = carriedBy(gas);
  return (
    <Section title="Paint">
      <p class="hint">Choose the paintbrush (S), then stroke through the gas: it goes along with the hand.</p>
      {carries.includes(Carried.DYE) && (
        <>
          <Toggle label="Dye" checked={settings.paintsDye} onChange={(paintsDye) => change({ paintsDye })} />
          <ColourChoice label="Colour" value={settings.paintColour} onInput={(paintColour) => change({ paintColour })} />
        </>
      )}
      {carries.includes(Carried.SMOKE) && (
        <Toggle label="Smoke" checked={settings.paintsSmoke} onChange={(paintsSmoke) => change({ paintsSmoke })} />
      )}
      <Slider
        label="Radius" value={settings.paintRadius} least={diagonal * 0.005} most={diagonal * 0.25} logarithmic
        words={`${plainNumber(settings.paintRadius * 100)} cm`} onInput={(paintRadius) => change({ paintRadius })}
      />
      <Slider
        label="Strength" value={settings.paintStrength} least={0} most={5} words={`${plainNumber(settings.paintStrength)}×`}
        onInput={(paintStrength) => change({ paintStrength })}
      />
    </Section>
  );
}
