// SPDX-License-Identifier: Apache-2.0
import { signal } from "@preact/signals";
import type { FigurePoint } from "@viewer/stream/worker_messages";

/** The figures of every frame that was heard of, by index; `version` changes with them. */
export class FigureStore {
  readonly version = signal(0);
  private readonly points = new Map<number, FigurePoint>();
  private sorted: readonly FigurePoint[] | undefined;

  add(points: readonly FigurePoint[]): void {
    let fresh = false;
    for (const point of points) {
      fresh ||= !this.points.has(point.index);
      this.points.set(point.index, point);
    }
    if (!fresh) return;
    this.sorted = undefined;
    ++this.version.value;
  }

  at(index: number): FigurePoint | undefined {
    return this.points.get(index);
  }

  /** By index. */
  all(): readonly FigurePoint[] {
    this.sorted ??= [...this.points.values()].sort((a, b) => a.index - b.index);
    return this.sorted;
  }
}
