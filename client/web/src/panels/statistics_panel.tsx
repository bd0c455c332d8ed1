// SPDX-License-Identifier: Apache-2.0
import { useMemo } from "preact/hooks";
import { Section } from "@viewer/controls/fields";
import { count, plainNumber } from "@viewer/controls/numbers";
import { useCalm } from "@viewer/controls/use_calm";
import { LineChart } from "@viewer/plots/line_chart";
import { certificateWords } from "@viewer/panels/certificate_words";
import type { Body } from "@viewer/gen/sluice/v1/frames_pb";
import { gasOf } from "@viewer/session/session_facts";
import type { SessionModel } from "@viewer/session/session_model";
import type { FrameFigures } from "@viewer/stream/decoded_frame";

const momentumLabels = ["x", "y", "z"];

/** Between two drawings of the plots, in ms: they are six canvases, and long. */
const plotInterval = 250;

interface PanelProps {
  readonly model: SessionModel;
}

/** How the simulation goes, over its frames. */
export function StatisticsPanel({ model }: PanelProps) {
  return (
    <>
      <Section title="This frame"><ThisFrame model={model} /></Section>
      <Section title="Over time"><OverTime model={model} /></Section>
    </>
  );
}

function ThisFrame({ model }: PanelProps) {
  const { shown, timeSeconds } = model.playback.value;
  const session = model.session.value;
  const figures = model.figures.at(shown)?.figures;
  const certificate = figures?.certificate;
  const gas = gasIn(model);
  return (
    <dl class="facts">
      <Fact name="Frame" value={String(Math.max(0, shown))} />
      <Fact name="Time" value={`${timeSeconds.toFixed(4)} s`} />
      {gas !== undefined ? <Fact name="Cells" value={count(gas.count)} /> : (
        <>
          <Fact name="Particles" value={count(figures?.particleCount ?? session?.particleCount ?? 0n)} />
          <Fact name="Vertices" value={count(session?.vertexCount ?? 0n)} />
          <Fact name="Contacts" value={figures ? count(figures.contactCount) : "–"} />
          <Fact name="Smallest gap" value={figures ? `${plainNumber(figures.smallestGap * 1000)} mm` : "–"} />
        </>
      )}
      {certificate && <Fact name="Crossings" value={certificateWords(certificate)} />}
      <Fact name="Residual" value={figures ? plainNumber(figures.residual) : "–"} />
      <Fact name="Solved in" value={figures ? `${plainNumber(figures.solveSeconds * 1000)} ms` : "–"} />
    </dl>
  );
}

function OverTime({ model }: PanelProps) {
  const version = useCalm(model.figures.version.value, plotInterval);
  const now = useCalm(model.playback.value.timeSeconds, plotInterval);
  const points = useMemo(() => model.figures.all(), [model, version]);
  const times = useMemo(() => points.map((point) => point.timeSeconds), [points]);
  const lines = useMemo(() => {
    const of = (value: (f: FrameFigures) => number): number[] => points.map((point) => value(point.figures));
    const stages = [...new Set(points.flatMap((point) => Object.keys(point.figures.stageSeconds)))];
    return {
      energy: [
        { label: "kinetic", colour: 1, values: of((f) => f.kineticEnergy) },
        { label: "potential", colour: 2, values: of((f) => f.potentialEnergy) },
      ],
      momentum: momentumLabels.map((label, i) => ({ label, colour: i + 1, values: of((f) => f.momentum[i] ?? 0) })),
      gap: [{ label: "", colour: 1, values: of((f) => f.smallestGap) }],
      iterations: [
        { label: "iterations", colour: 1, values: of((f) => f.iterationCount) },
        { label: "substeps", colour: 2, values: of((f) => f.substepCount) },
      ],
      contacts: [{ label: "", colour: 3, values: of((f) => f.contactCount) }],
      stages: stages.length > 0
        ? stages.map((label, i) => ({ label, colour: (i % 6) + 1, values: of((f) => 1000 * (f.stageSeconds[label] ?? 0)) }))
        : [{ label: "", colour: 4, values: of((f) => 1000 * f.solveSeconds) }],
    };
  }, [points]);
  const seek = (time: number): void => {
    const point = points[times.indexOf(time)];
    if (point !== undefined) model.command((player) => player.seek(point.index));
  };
  const chart = { times, now, onSeek: seek };
  const hasContact = gasIn(model) === undefined;
  if (points.length < 2) return <p class="hint">Plots begin with the second frame.</p>;
  return (
    <div class="charts">
      <LineChart title="Energy" unit="J" series={lines.energy} {...chart} />
      <LineChart title="Momentum" unit="kg m/s" series={lines.momentum} {...chart} />
      {hasContact && <LineChart title="Smallest gap" unit="m, log" series={lines.gap} logarithmic {...chart} />}
      <LineChart title="Solver" unit="a frame" series={lines.iterations} {...chart} />
      {hasContact && <LineChart title="Contacts" unit="" series={lines.contacts} {...chart} />}
      <LineChart title="Time by stage" unit="ms" series={lines.stages} {...chart} />
    </div>
  );
}

/** With a gas there are no solids. */
function gasIn(model: SessionModel): Body | undefined {
  const layout = model.facts.value?.layout;
  return layout && gasOf(layout);
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return <div><dt>{name}</dt><dd>{value}</dd></div>;
}
