// SPDX-License-Identifier: Apache-2.0
import type { FigurePoint } from "@viewer/stream/worker_messages";

/** The figures of the frames as a table: a line a frame, by index, numbers as they came; RFC 4180 with a head line. */
export function figuresCsv(points: readonly FigurePoint[]): string {
  const stages = [...new Set(points.flatMap(({ figures }) => Object.keys(figures.stageSeconds)))];
  const columns: readonly [string, (point: FigurePoint) => number][] = [
    ["frame", ({ index }) => index],
    ["time_seconds", ({ timeSeconds }) => timeSeconds],
    ["kinetic_energy_joules", ({ figures }) => figures.kineticEnergy],
    ["potential_energy_joules", ({ figures }) => figures.potentialEnergy],
    ...["x", "y", "z"].map((axis, i): [string, (point: FigurePoint) => number] => [
      `momentum_${axis}_newton_seconds`, ({ figures }) => figures.momentum[i] ?? 0,
    ]),
    ["smallest_gap_metres", ({ figures }) => figures.smallestGap],
    ["contact_count", ({ figures }) => figures.contactCount],
    ["particle_count", ({ figures }) => figures.particleCount],
    ["cell_count", ({ figures }) => figures.cellCounts.reduce((sum, cells) => sum + cells, 0)],
    ["substep_count", ({ figures }) => figures.substepCount],
    ["iteration_count", ({ figures }) => figures.iterationCount],
    ["residual", ({ figures }) => figures.residual],
    ["solve_seconds", ({ figures }) => figures.solveSeconds],
    ...stages.map((stage): [string, (point: FigurePoint) => number] => [
      `${stage.replaceAll(" ", "_")}_seconds`, ({ figures }) => figures.stageSeconds[stage] ?? 0,
    ]),
  ];
  const rows = points.map((point) => columns.map(([, value]) => String(value(point))));
  return [columns.map(([name]) => name), ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}
