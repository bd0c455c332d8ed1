// SPDX-License-Identifier: Apache-2.0

/** Where the 3D view is seen from, in metres, world frame. */
export interface CameraState {
  readonly eye: readonly [number, number, number];
  readonly target: readonly [number, number, number];
}

/** As it stands in the page's address: six numbers with four digits each. */
export function formatCamera({ eye, target }: CameraState): string {
  return [...eye, ...target].map((x) => Number(x.toPrecision(4)).toString()).join(",");
}

/** Nothing for text that is not six finite numbers, or that has the eye at the target. */
export function parseCamera(text: string): CameraState | undefined {
  const numbers = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  const [a, b, c, d, e, f] = numbers;
  if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return undefined;
  const state = { eye: [a, b, c], target: [d, e, f] } as unknown as CameraState;
  return state.eye.every((x, i) => x === state.target[i]) ? undefined : state;
}
