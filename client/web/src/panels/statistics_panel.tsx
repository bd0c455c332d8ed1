// SPDX-License-Identifier: Apache-2.0
import { useMemo, useState } from "preact/hooks";
import { warningTitle } from "@viewer/api/warning_words";
import { idOf } from "@viewer/api/session_state";
import { Section } from "@viewer/controls/fields";
import { count, plainNumber } from "@viewer/words/numbers";
import { useCalm } from "@viewer/controls/use_calm";
import { save } from "@viewer/download/save";
import type { Series } from "@viewer/plots/chart_data";
import { LineChart } from "@viewer/plots/line_chart";
import { figuresCsv } from "@viewer/plots/plot_files";
import { plotsPng, type PlotPicture } from "@viewer/plots/plot_picture";
import { certificateWords } from "./certificate_words";
import type { Body } from "@viewer/gen/sluice/v1/frames_pb";
import { gasOf } from "@viewer/session/session_facts";
import type { SessionModel } from "@viewer/session/session_model";
import type { FrameFigures } from "@viewer/stream/decoded_frame";
import type { FigurePoint } from "@viewer/stream/worker_messages";

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
    <>
      {figures?.warnings.map((warning, i) => <p key={i} class="notice"><strong>{warningTitle(warning)}.</strong> {warning.message}</p>)}
      <dl class="facts">
        <Fact name="Frame" value={String(Math.max(0, shown))} />
        <Fact name="Time" value={`${timeSeconds.toFixed(4)} s`} />
        {gas !== undefined ? <CellFacts count={Number(gas.count)} bySize={figures?.cellCounts ?? []} /> : (
          <>
            <Fact name="Particles" value={count(figures?.particleCount ?? session?.particleCount ?? 0n)} />
            <CellsBySize bySize={figures?.cellCounts ?? []} />
            <Fact name="Vertices" value={count(session?.vertexCount ?? 0n)} />
            <Fact name="Contacts" value={figures ? count(figures.contactCount) : "–"} />
            <Fact name="Smallest gap" value={figures ? `${plainNumber(figures.smallestGap * 1000)} mm` : "–"} />
          </>
        )}
        {certificate && <Fact name="Crossings" value={certificateWords(certificate)} />}
        <Fact name="Residual" value={figures ? plainNumber(figures.residual) : "–"} />
        <Fact name="Solved in" value={figures ? `${plainNumber(figures.solveSeconds * 1000)} ms` : "–"} />
      </dl>
    </>
  );
}

/** The cells that frames have values of; where they have many sizes, how many there are of each. */
function CellFacts({ count: whole, bySize }: { readonly count: number; readonly bySize: readonly number[] }) {
  if (bySize.length === 0) return <Fact name="Cells" value={count(whole)} />;
  const sum = bySize.reduce((before, cells) => before + cells, 0);
  return (
    <>
      <Fact name="Cells" value={`${count(sum)} in place of ${count(whole)}`} />
      <CellsBySize bySize={bySize} />
    </>
  );
}

function CellsBySize({ bySize }: { readonly bySize: readonly number[] }) {
  return (
    <>
      {bySize.map((cells, level) => (
        <Fact key={level} name={level === 0 ? "Cells of the smallest" : `${2 ** level} times as large`} value={count(cells)} />
      ))}
    </>
  );
}

function OverTime({ model }: PanelProps) {
  const version = useCalm(model.figures.version.value, plotInterval);
  const now = useCalm(model.playback.value.timeSeconds, plotInterval);
  const points = useMemo(() => model.figures.all(), [model, version]);
  const times = useMemo(() => points.map((point) => point.timeSeconds), [points]);
  const hasContact = gasIn(model) === undefined;
  const plots = useMemo(() => plotsOf(points, hasContact), [points, hasContact]);
  const seek = (time: number): void => {
    const point = points[times.indexOf(time)];
    if (point !== undefined) model.command((player) => player.seek(point.index));
  };
  if (points.length < 2) return <p class="hint">Plots begin with the second frame.</p>;
  return (
    <>
      <div class="charts">
        {plots.map((plot) => <LineChart key={plot.title} {...plot} times={times} now={now} onSeek={seek} />)}
      </div>
      <SavePlots model={model} hasContact={hasContact} />
    </>
  );
}

/** The plots of the frames' figures. */
function plotsOf(points: readonly FigurePoint[], hasContact: boolean): PlotPicture[] {
  const of = (value: (f: FrameFigures) => number): number[] => points.map((point) => value(point.figures));
  const stages = [...new Set(points.flatMap((point) => Object.keys(point.figures.stageSeconds)))];
  const plot = (title: string, unit: string, series: readonly Series[], logarithmic = false): PlotPicture => ({ title, unit, series, logarithmic });
  return [
    plot("Energy", "J", [
      { label: "kinetic", colour: 1, values: of((f) => f.kineticEnergy) },
      { label: "potential", colour: 2, values: of((f) => f.potentialEnergy) },
    ]),
    plot("Momentum", "kg m/s", momentumLabels.map((label, i) => ({ label, colour: i + 1, values: of((f) => f.momentum[i] ?? 0) }))),
    ...(hasContact ? [plot("Smallest gap", "m, log", [{ label: "", colour: 1, values: of((f) => f.smallestGap) }], true)] : []),
    plot("Solver", "a frame", [
      { label: "iterations", colour: 1, values: of((f) => f.iterationCount) },
      { label: "substeps", colour: 2, values: of((f) => f.substepCount) },
    ]),
    ...(hasContact ? [plot("Contacts", "", [{ label: "", colour: 3, values: of((f) => f.contactCount) }])] : []),
    plot("Time by stage", "ms", stages.length > 0
      ? stages.map((label, i) => ({ label, colour: (i % 6) + 1, values: of((f) => 1000 * (f.stageSeconds[label] ?? 0)) }))
      : [{ label: "", colour: 4, values: of((f) => 1000 * f.solveSeconds) }]),
  ];
}

/** The figures as files. They have every frame there is, which the plots on the page need not. */
function SavePlots({ model, hasContact }: PanelProps & { readonly hasContact: boolean }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const stem = idOf(model.name);
  const write = async (kind: "csv" | "png"): Promise<void> => {
    await model.readAllFigures();
    const points = model.figures.all();
    if (kind === "csv") {
      save({ name: `${stem}_statistics.csv`, content: new Blob([figuresCsv(points)], { type: "text/csv" }) });
      return;
    }
    const heading = `${model.session.value?.displayName ?? model.name} (${model.name})`;
    save({ name: `${stem}_statistics.png`, content: await plotsPng(heading, points.map((point) => point.timeSeconds), plotsOf(points, hasContact)) });
  };
  const choose = (kind: "csv" | "png"): void => {
    setBusy(true);
    setProblem("");
    write(kind).catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error))).finally(() => setBusy(false));
  };
  return (
    <>
      <div class="button-row">
        <button type="button" disabled={busy} onClick={() => choose("csv")}>Save as CSV</button>
        <button type="button" disabled={busy} onClick={() => choose("png")}>Save as PNG</button>
      </div>
      {busy && <p class="hint" role="status">Reading the figures of all frames…</p>}
      {problem !== "" && <p class="notice error" role="alert">{problem}</p>}
    </>
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
