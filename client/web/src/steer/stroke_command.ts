// SPDX-License-Identifier: Apache-2.0
import { Color } from "three";
import { Carried, type Gas } from "@viewer/gen/sluice/v1/scene_pb";
import type { Action } from "./commander";
import type { SteerSettings } from "./steer_settings";
import type { StrokePart } from "./stroke";

/** In m/s: what the API allows. */
const fastest = 1000;

/** The fields that a gas carries: smoke, where the scene says nothing. */
export function carriedBy({ carries }: Gas): readonly Carried[] {
  return carries.length > 0 ? carries : [Carried.SMOKE];
}

/**
 * Paints a part of a stroke into the gas, for a frame: with what it carries and the person wants, and along with the hand where
 * that moves. Nothing where that is nothing.
 */
export function strokeCommand({ from, to, velocity }: StrokePart, gas: Gas, settings: SteerSettings): Action | undefined {
  const carries = carriedBy(gas);
  const wind = velocity.clone().multiplyScalar(settings.paintStrength).clampLength(0, fastest);
  const content = {
    ...(wind.lengthSq() > 0 && { velocity: wind.toArray() }),
    ...(settings.paintsSmoke && carries.includes(Carried.SMOKE) && { smoke: 1 }),
    ...(settings.paintsDye && carries.includes(Carried.DYE) && { dye: new Color(settings.paintColour).toArray() }),
  };
  if (Object.keys(content).length === 0) return undefined;
  return { case: "strokeGas", value: { from: from.toArray(), to: to.toArray(), radius: settings.paintRadius, content } };
}
