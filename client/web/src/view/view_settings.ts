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
  readonly map: ColourMapName;
  /** Follows the values if omitted. */
  readonly fixedRange?: ValueRange | undefined;
  /** Times the spacing that particles start with. */
  readonly particleScale: number;
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
  map: "water",
  particleScale: 1,
  edges: false,
  domain: true,
  obstacles: true,
  pins: true,
  contacts: false,
  hiddenBodies: [],
  exact: false,
};

/** A field that particles can be coloured by. */
export interface FieldFacts {
  readonly field: Field;
  readonly label: string;
  readonly unit: string;
}

const colourable: readonly FieldFacts[] = [
  { field: Field.SPEED, label: "Speed", unit: "m/s" },
  { field: Field.PRESSURE, label: "Pressure", unit: "Pa" },
  { field: Field.DENSITY, label: "Density", unit: "kg/m³" },
  { field: Field.CONTACT_FORCE, label: "Contact force", unit: "N" },
];

/** Those that frames have. Speed is derived from velocity, which they always have. */
export function colourFields(stored: readonly Field[]): FieldFacts[] {
  return colourable.filter(({ field }) => field === Field.SPEED || stored.includes(field));
}

export function factsOf(field: Field): FieldFacts {
  return colourable.find((facts) => facts.field === field) ?? { field, label: "Field", unit: "" };
}
