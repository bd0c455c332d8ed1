// SPDX-License-Identifier: Apache-2.0

/** Where the 3D view is seen from, in metres, world frame. */
export interface CameraState {
  readonly eye: readonly [number, number, number];
  readonly target: readonly [number, number, number];
}

/** Digits of the distance from eye to target that a place is told with: less than a tenth of a pixel. */
const digitsOfDistance = 5;
/** A number has at least so many digits of its own. */
const leastDigits = 4;
/** A double has no more. */
const mostDigits = 16;

/** The camera as it stands in the page's address: six numbers, as exact as the view is near. */
export function formatCamera({ eye, target }: CameraState): string {
  const power = (x: number): number => Math.floor(Math.log10(Math.abs(x)));
  const distance = Math.hypot(...eye.map((x, i) => x - (target[i] ?? 0)));
  const format = (x: number): string => {
    const digits = x === 0 || distance === 0 ? leastDigits : power(x) - power(distance) + digitsOfDistance;
    return Number(x.toPrecision(Math.min(Math.max(digits, leastDigits), mostDigits))).toString();
  };
  return [...eye, ...target].map(format).join(",");
}

/** Nothing for text that is not six finite numbers, or that has the eye at the target. */
export function parseCamera(text: string): CameraState | undefined {
  const numbers = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  const [a, b, c, d, e, f] = numbers;
  if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return undefined;
  const state = { eye: [a, b, c], target: [d, e, f] } as unknown as CameraState;
  return state.eye.every((x, i) => x === state.target[i]) ? undefined : state;
}
