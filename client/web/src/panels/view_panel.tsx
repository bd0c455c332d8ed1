// SPDX-License-Identifier: Apache-2.0
import { Choice, Section, Slider, Toggle } from "@viewer/controls/fields";
import { plainNumber } from "@viewer/words/numbers";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import { hasLegend, hasParticles, hasVolume, storedFields, type SessionFacts } from "@viewer/session/session_facts";
import { colourMapNames } from "@viewer/view/colour_maps";
import type { ValueRange } from "@viewer/view/value_range";
import { colourFields, factsOf, type ViewSettings } from "@viewer/view/view_settings";

interface ViewPanelProps {
  readonly settings: ViewSettings;
  readonly range: ValueRange;
  readonly facts: SessionFacts | undefined;
  readonly change: (part: Partial<ViewSettings>) => void;
}

/** What is drawn, and how. */
export function ViewPanel({ settings, range, facts, change }: ViewPanelProps) {
  const stored = facts ? storedFields(facts.layout) : [];
  const fields = colourFields(stored);
  const bodies = facts?.layout.bodies ?? [];
  const toggleBody = (name: string, shown: boolean): void => {
    const others = settings.hiddenBodies.filter((hidden) => hidden !== name);
    change({ hiddenBodies: shown ? others : [...others, name] });
  };
  return (
    <>
      <Section title="Colour">
        <Choice
          label="Field" value={factsOf(settings.colourBy).label} options={fields.map(({ label }) => ({ value: label, label }))}
          onChange={(value) => {
            const chosen = fields.find(({ label }) => label === value);
            if (chosen !== undefined) change({ colourBy: chosen.field, fixedRange: undefined });
          }}
        />
        {(facts === undefined || hasLegend(facts.layout, settings)) && (
          <Choice
            label="Palette" value={settings.map} options={(["automatic", ...colourMapNames] as const).map((name) => ({ value: name, label: name }))}
            onChange={(map) => change({ map })}
          />
        )}
        {settings.colourBy !== Field.DYE && (
          <Toggle
            label="Automatic range" checked={settings.fixedRange === undefined}
            onChange={(automatic) => change({ fixedRange: automatic ? undefined : range })}
          />
        )}
        {settings.fixedRange !== undefined && <FixedRange range={settings.fixedRange} change={(fixedRange) => change({ fixedRange })} />}
      </Section>
      <Section title="Show">
        {bodies.map(({ name }) => (
          <Toggle
            key={name} label={name} checked={!settings.hiddenBodies.includes(name)} onChange={(shown) => toggleBody(name, shown)}
          />
        ))}
        <Toggle
          label={stored.includes(Field.CELL_LEVEL) ? "Edges of meshes and cells" : "Mesh edges"} checked={settings.edges}
          onChange={(edges) => change({ edges })}
        />
        <Toggle label="Obstacles" checked={settings.obstacles} onChange={(obstacles) => change({ obstacles })} />
        <Toggle label="Domain and floor grid" checked={settings.domain} onChange={(domain) => change({ domain })} />
        <Toggle label="Pins" checked={settings.pins} onChange={(pins) => change({ pins })} />
        {stored.includes(Field.CONTACT_FORCE) && (
          <Toggle label="Contact points" checked={settings.contacts} onChange={(contacts) => change({ contacts })} />
        )}
        {facts !== undefined && hasParticles(facts.layout) && (
          <Slider
            label="Particle size" value={settings.particleScale} least={0.25} most={3} logarithmic
            words={`${plainNumber(settings.particleScale)}×`} onInput={(particleScale) => change({ particleScale })}
          />
        )}
        {facts !== undefined && hasVolume(facts.layout) && (
          <Slider
            label="Thickness of the gas" value={settings.gasOpacity} least={0.1} most={10} logarithmic
            words={`${plainNumber(settings.gasOpacity)}×`} onInput={(gasOpacity) => change({ gasOpacity })}
          />
        )}
      </Section>
      <Section title="Data">
        <Toggle label="Exact numbers (float32)" checked={settings.exact} onChange={(exact) => change({ exact })} />
        <p class="hint">Frames come quantised: positions to the 65535th of the domain or, where a body is small, finer. Exact is for measuring.</p>
      </Section>
    </>
  );
}

function FixedRange({ range, change }: { readonly range: ValueRange; readonly change: (range: ValueRange) => void }) {
  const entry = (key: keyof ValueRange, label: string) => (
    <label>
      <span>{label}</span>
      <input
        type="number" step="any" value={Number(range[key].toPrecision(4))}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber;
          if (Number.isFinite(value)) change({ ...range, [key]: value });
        }}
      />
    </label>
  );
  return <div class="range-entry">{entry("least", "from")}{entry("most", "to")}</div>;
}
