// SPDX-License-Identifier: Apache-2.0
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import type { DecodedArray } from "@viewer/stream/decoded_frame";
import { colourRow, type ColourMapName } from "./colour_maps";
import type { LinearColour } from "./slice_colours";
import type { ValueRange } from "./value_range";
import type { LookAt } from "./volume_texels";

/** The fields and ranges that a gas in three dimensions is drawn from. */
export interface VolumeFields {
  /** Where the gas carries it. */
  readonly smoke: DecodedArray | undefined;
  /** The range of the smoke; at its end smoke is as thick as it gets. */
  readonly smokeRange: ValueRange;
  /** The field that a person chose; the smoke itself, maybe. */
  readonly chosen: DecodedArray;
  readonly chosenRange: ValueRange;
  readonly map: ColourMapName;
  /** The colour of smoke that nothing colours. */
  readonly smokeColour: LinearColour;
}

/**
 * How the cells look: smoke as it is, lit; with dye in it, lit too, which is to be seen without smoke as well; with its heat, which
 * shines; by any other field the smoke in the field's colours, or without smoke the field itself, thicker where it is further
 * from 0.
 */
export function lookOf(fields: VolumeFields): LookAt {
  const { smoke, chosen } = fields;
  if (chosen.field === Field.SMOKE) return smokeLook(fields);
  if (chosen.field === Field.DYE) return dyeLook(fields);
  if (chosen.field === Field.TEMPERATURE) return heatLook(fields);
  return smoke === undefined ? fieldLook(fields) : colouredSmokeLook(fields, smoke);
}

function smokeLook(fields: VolumeFields): LookAt {
  const smokeAt = shareOf(fields.smoke, fields.smokeRange);
  const colour = tripleOf(fields.smokeColour);
  return (row, look) => {
    look.lit = smokeAt(row);
    look.litColour = colour;
  };
}

function dyeLook(fields: VolumeFields): LookAt {
  const smokeAt = shareOf(fields.smoke, fields.smokeRange);
  const { r, g, b } = fields.smokeColour;
  const { words, origin, step } = fields.chosen;
  const [r0, g0, b0] = [origin[0] ?? 0, origin[1] ?? 0, origin[2] ?? 0];
  const [dr, dg, db] = [step[0] ?? 1, step[1] ?? 1, step[2] ?? 1];
  const colour: [number, number, number] = [0, 0, 0];
  return (row, look) => {
    const red = r0 + dr * (words[3 * row] ?? 0);
    const green = g0 + dg * (words[3 * row + 1] ?? 0);
    const blue = b0 + db * (words[3 * row + 2] ?? 0);
    const most = Math.max(red, green, blue);
    const dye = Math.min(1, Math.max(0, most));
    const smoke = smokeAt(row);
    look.lit = dye + smoke - dye * smoke;
    if (look.lit <= 0) return;
    // Dye takes the place of as much of the smoke's own colour.
    const own = (smoke * (1 - dye)) / look.lit;
    const perDye = most > 0 ? (1 - own) / most : 0;
    colour[0] = red * perDye + r * own;
    colour[1] = green * perDye + g * own;
    colour[2] = blue * perDye + b * own;
    look.litColour = colour;
  };
}

function heatLook(fields: VolumeFields): LookAt {
  const smokeAt = shareOf(fields.smoke, fields.smokeRange);
  const heatAt = shareOf(fields.chosen, fields.chosenRange);
  const colourAt = linearRow(fields.map);
  const colour = tripleOf(fields.smokeColour);
  return (row, look) => {
    const heat = heatAt(row);
    look.lit = smokeAt(row);
    look.litColour = colour;
    look.glowing = heat;
    look.glowColour = colourAt(heat);
  };
}

function colouredSmokeLook(fields: VolumeFields, smoke: DecodedArray): LookAt {
  const smokeAt = shareOf(smoke, fields.smokeRange);
  const shareAt = shareOf(fields.chosen, fields.chosenRange);
  const colourAt = linearRow(fields.map);
  return (row, look) => {
    look.lit = smokeAt(row);
    if (look.lit > 0) look.litColour = colourAt(shareAt(row));
  };
}

function fieldLook({ chosen, chosenRange, map }: VolumeFields): LookAt {
  const shareAt = shareOf(chosen, chosenRange);
  const colourAt = linearRow(map);
  const { least, most } = chosenRange;
  const zero = Math.min(Math.max(-least / Math.max(most - least, 1e-12), 0), 1);
  const perShare = 1 / Math.max(zero, 1 - zero);
  return (row, look) => {
    const share = shareAt(row);
    look.glowing = Math.abs(share - zero) * perShare;
    look.glowColour = colourAt(share);
  };
}

/** Where in the range a cell's value is, in [0, 1]; 0 everywhere for no array. */
function shareOf(array: DecodedArray | undefined, { least, most }: ValueRange): (row: number) => number {
  if (array === undefined) return () => 0;
  const { words, origin, step } = array;
  const perUnit = 1 / Math.max(most - least, 1e-12);
  const from = ((origin[0] ?? 0) - least) * perUnit;
  const by = (step[0] ?? 1) * perUnit;
  return (row) => Math.min(Math.max(from + by * (words[row] ?? 0), 0), 1);
}

function linearRow(map: ColourMapName): (share: number) => readonly [number, number, number] {
  const bytes = colourRow(map, 256);
  const linear = (i: number, c: number): number => ((bytes[4 * i + c] ?? 0) / 255) ** 2.2;
  const row = Array.from({ length: 256 }, (_, i) => [linear(i, 0), linear(i, 1), linear(i, 2)] as const);
  return (share) => row[Math.round(255 * share)] ?? [0, 0, 0];
}

function tripleOf({ r, g, b }: LinearColour): readonly [number, number, number] {
  return [r, g, b];
}
