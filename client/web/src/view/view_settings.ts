// SPDX-License-Identifier: Apache-2.0
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import type { ColourMapName } from "./colour_maps";
import type { Plane } from "./field_bins";
import type { ValueRange } from "./value_range";

/** What a person chose to see. */
export interface ViewSettings {
  /** Perspective, or a field's picture before a plane. */
  readonly view: "3d" | Plane;
  readonly colourBy: Field;
  /** Or the one that suits the field. */
  readonly map: ColourMapName | "automatic";
  /** Follows the values if omitted. */
  readonly fixedRange?: ValueRange | undefined;
  /** Times the spacing that particles start with. */
  readonly particleScale: number;
  /** Times what the thickest gas in 3D keeps back of the light. */
  readonly gasOpacity: number;
  readonly edges: boolean;
  readonly domain: boolean;
  readonly obstacles: boolean;
  readonly pins: boolean;
  readonly contacts: boolean;
  readonly hiddenBodies: readonly string[];
  /** Exact float32 instead of quantised frames. */
  readonly exact: boolean;
}

export const defaultSettings: ViewSettings = {
  view: "3d",
  colourBy: Field.SPEED,
  map: "automatic",
  particleScale: 1,
  gasOpacity: 1,
  edges: false,
  domain: true,
  obstacles: true,
  pins: true,
  contacts: false,
  hiddenBodies: [],
  exact: false,
};

/** A field that particles and cells can be coloured by. */
export interface FieldFacts {
  readonly field: Field;
  readonly label: string;
  readonly unit: string;
}

/** Fields that a gas carries come first: one looks for them. */
const colourable: readonly FieldFacts[] = [
  { field: Field.SMOKE, label: "Smoke", unit: "" },
  { field: Field.DYE, label: "Dye", unit: "" },
  { field: Field.TEMPERATURE, label: "Temperature", unit: "K" },
  { field: Field.SPEED, label: "Speed", unit: "m/s" },
  { field: Field.PRESSURE, label: "Pressure", unit: "Pa" },
  { field: Field.DENSITY, label: "Density", unit: "kg/m³" },
  { field: Field.CONTACT_FORCE, label: "Contact force", unit: "N" },
  { field: Field.CELL_LEVEL, label: "Cell level", unit: "" },
];

/** The fields that frames have; the ones to be seen first come first. Speed is derived from velocity. */
export function colourFields(stored: readonly Field[]): FieldFacts[] {
  return colourable.filter(({ field }) => stored.includes(field === Field.SPEED ? Field.VELOCITY : field));
}

/** A field that is not here has water's map. */
const naturalMaps: Partial<Record<Field, ColourMapName>> = { [Field.SMOKE]: "grey", [Field.TEMPERATURE]: "fire" };

/** The colour map that is drawn with. */
export function mapOf({ map, colourBy }: ViewSettings): ColourMapName {
  return map === "automatic" ? (naturalMaps[colourBy] ?? "water") : map;
}

export function factsOf(field: Field): FieldFacts {
  return colourable.find((facts) => facts.field === field) ?? { field, label: "Field", unit: "" };
}
