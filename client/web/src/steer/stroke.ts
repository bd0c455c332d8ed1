// SPDX-License-Identifier: Apache-2.0
import { Vector3 } from "three";

/** A straight part of a stroke, in metres, and how fast the hand went along it, in m/s of its own time. */
export interface StrokePart {
  readonly from: Vector3;
  readonly to: Vector3;
  /** 0 where the hand rests. */
  readonly velocity: Vector3;
}

/** While a hand moves, the browser tells where it is at least so often, in seconds: before a longer silence it rested. */
const longestMove = 1 / 30;
/** Places that come at once, in seconds, were not gone through at once. */
const shortestMove = 1 / 240;

/** A hand's way through the scene, to be taken part by part: what it moved between two of them is one. */
export class Stroke {
  private from: Vector3;
  private to: Vector3;
  private since: number;

  /** Begins at a place and a time, in seconds. */
  constructor(
    at: Vector3,
    private now: number,
  ) {
    this.from = at.clone();
    this.to = at.clone();
    this.since = now;
  }

  /** The hand is at a place at a time, in seconds. */
  moveTo(at: Vector3, now: number): void {
    if (!this.hasMore) this.since = Math.max(this.now, now - longestMove);
    this.to = at.clone();
    this.now = now;
  }

  /** Whether the hand has gone on since the last part was taken. */
  get hasMore(): boolean {
    return !this.from.equals(this.to);
  }

  /** The stroke since the last part; a dot where the hand rests. */
  take(): StrokePart {
    const { from, to } = this;
    const velocity = to.clone().sub(from).divideScalar(Math.max(this.now - this.since, shortestMove));
    this.from = to;
    return { from, to, velocity };
  }
}
