// SPDX-License-Identifier: Apache-2.0

export type Tool = "orbit" | "grab" | "push" | "paint";

/** How a person's hand acts. */
export interface SteerSettings {
  readonly tool: Tool;
  /** Vertices within this distance of the hand are grabbed, in metres. */
  readonly grabRadius: number;
  /** Spring constant of a grabbed vertex, in N/m. */
  readonly grabStiffness: number;
  /** Radius of the brush, in metres. */
  readonly brushRadius: number;
  /** In m/s^2. */
  readonly brushStrength: number;
  /** Around a stroke of paint, in metres. */
  readonly paintRadius: number;
  /** Velocity of the gas over that of the hand. */
  readonly paintStrength: number;
  /** Colour of the dye, in sRGB: "#rrggbb". */
  readonly paintColour: string;
  readonly paintsDye: boolean;
  readonly paintsSmoke: boolean;
}

/** Fit for a domain whose diagonal is `diagonal` metres. */
export function steerDefaults(diagonal: number): SteerSettings {
  return {
    tool: "orbit", grabRadius: diagonal * 0.03, grabStiffness: 20, brushRadius: diagonal * 0.06, brushStrength: 40,
    paintRadius: diagonal * 0.03, paintStrength: 1, paintColour: "#ff8a1f", paintsDye: true, paintsSmoke: true,
  };
}
