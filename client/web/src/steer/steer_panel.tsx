// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { canSteer } from "@viewer/api/session_state";
import { Section, Slider, Toggle } from "@viewer/controls/fields";
import { plainNumber } from "@viewer/words/numbers";
import type { SessionModel } from "@viewer/session/session_model";
import type { Commander } from "./commander";
import { PaintSection } from "./paint_section";
import type { SteerSettings } from "./steer_settings";

interface SteerPanelProps {
  readonly model: SessionModel;
  readonly commander: Commander;
  readonly settings: SteerSettings;
  /** The domain's diagonal, in metres. */
  readonly diagonal: number;
  readonly change: (part: Partial<SteerSettings>) => void;
}

const earth = 9.81;
const directions: readonly { readonly label: string; readonly name: string; readonly to: readonly [number, number, number] }[] = [
  { label: "↓ z", name: "down", to: [0, 0, -1] }, { label: "↑ z", name: "up", to: [0, 0, 1] },
  { label: "← x", name: "towards smaller x", to: [-1, 0, 0] }, { label: "→ x", name: "towards larger x", to: [1, 0, 0] },
  { label: "↙ y", name: "towards smaller y", to: [0, -1, 0] }, { label: "↗ y", name: "towards larger y", to: [0, 1, 0] },
];

/** What a person can do to a running simulation besides grabbing it. */
export function SteerPanel({ model, commander, settings, diagonal, change }: SteerPanelProps) {
  const session = model.session.value;
  const enabled = session !== undefined && canSteer(session);
  const scene = model.facts.value?.scene;
  const initial = scene?.gravity;
  const medium = scene?.gas ? "gas" : "water";
  const [gravity, setGravity] = useState<{ to: readonly number[]; strength: number; on: boolean }>(() => {
    const given = initial?.length === 3 ? initial : [0, 0, -earth];
    const strength = Math.hypot(...given);
    return { to: strength > 0 ? given.map((x) => x / strength) : [0, 0, -1], strength: strength || earth, on: strength > 0 };
  });
  const pull = (next: typeof gravity): void => {
    setGravity(next);
    const strength = next.on ? next.strength : 0;
    void commander.send({ case: "setGravity", value: { gravity: next.to.map((x) => x * strength) } });
  };
  const problem = commander.problem.value;
  return (
    <fieldset class="plain" disabled={!enabled}>
      {!enabled && <p class="notice">A session can be steered while it runs or is paused.</p>}
      {problem !== "" && <p class="notice error" role="alert">{problem}</p>}
      {scene?.gas && <PaintSection gas={scene.gas} settings={settings} diagonal={diagonal} change={change} />}
      <Section title="Grab">
        <p class="hint">Choose the hand (G), then drag cloth, a soft body, a pin or an obstacle.</p>
        <Slider
          label="Radius" value={settings.grabRadius} least={diagonal * 0.003} most={diagonal * 0.3} logarithmic
          words={`${plainNumber(settings.grabRadius * 100)} cm`} onInput={(grabRadius) => change({ grabRadius })}
        />
        <Slider
          label="Spring of a vertex" value={settings.grabStiffness} least={0.1} most={5000} logarithmic
          words={`${plainNumber(settings.grabStiffness)} N/m`} onInput={(grabStiffness) => change({ grabStiffness })}
        />
      </Section>
      <Section title={`Push the ${medium}`}>
        <p class="hint">Choose the brush (B), then stroke through the {medium}.</p>
        <Slider
          label="Radius" value={settings.brushRadius} least={diagonal * 0.01} most={diagonal * 0.5} logarithmic
          words={`${plainNumber(settings.brushRadius * 100)} cm`} onInput={(brushRadius) => change({ brushRadius })}
        />
        <Slider
          label="Strength" value={settings.brushStrength} least={1} most={1000} logarithmic
          words={`${plainNumber(settings.brushStrength)} m/s²`} onInput={(brushStrength) => change({ brushStrength })}
        />
      </Section>
      <Section title="Gravity">
        <Toggle label="Gravity" checked={gravity.on} disabled={!enabled} onChange={(on) => pull({ ...gravity, on })} />
        <div class="arrows" role="group" aria-label="Direction of gravity">
          {directions.map(({ label, name, to }) => (
            <button
              key={label} type="button" aria-label={name} aria-pressed={to.every((x, i) => Math.abs(x - (gravity.to[i] ?? 0)) < 1e-6)}
              onClick={() => pull({ ...gravity, to, on: true })}
            >
              {label}
            </button>
          ))}
        </div>
        <Slider
          label="Strength" value={gravity.strength} least={0.1} most={100} logarithmic words={`${plainNumber(gravity.strength)} m/s²`}
          onInput={(strength) => pull({ ...gravity, strength })}
        />
      </Section>
      {commander.lastFrame.value >= 0 && <p class="hint">The last command acts from frame {commander.lastFrame.value} on, and is recorded there.</p>}
    </fieldset>
  );
}
