// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { create } from "@bufbuild/protobuf";
import { BodyKind, BodySchema, Field, LayoutSchema } from "@viewer/gen/sluice/v1/frames_pb";
import { gasOf, hasLegend, hasVolume, storedFields } from "@viewer/session/session_facts";
import { edgesOfCells } from "@viewer/view/cell_edges";
import { meanAlong, sliceAt } from "@viewer/view/cell_slice";
import { colourAt } from "@viewer/view/colour_maps";
import { flatPlane, latticeOf } from "@viewer/view/lattice";
import { dyePixels, mapPixels, srgbByte } from "@viewer/view/slice_colours";
import { followRange, rangeOf } from "@viewer/view/value_range";
import { colourFields, defaultSettings, mapOf } from "@viewer/view/view_settings";
import { air, airLattice, airLayout, cells } from "./gas";

describe("the lattice of cells", () => {
  test("stands where the body says", () => {
    const { counts, box } = airLattice([4, 2, 6]);
    expect(counts).toEqual([4, 2, 6]);
    expect([...box.min.toArray(), ...box.max.toArray()]).toEqual([1, 2, 3, 3, 3, 6]);
  });

  test("is of bodies of cells alone", () => {
    expect(latticeOf(create(BodySchema, { name: "water", kind: BodyKind.PARTICLES }))).toBeUndefined();
  });

  test.each([[[4, 1, 4], "xz"], [[1, 4, 4], "yz"], [[4, 4, 1], "xy"], [[1, 1, 4], "xz"], [[4, 4, 4], undefined]])("%j lies in %s", (counts, plane) => {
    expect(flatPlane(airLattice(counts))).toBe(plane);
  });
});

describe("edges of cells of many sizes", () => {
  // Two large cells on the left of the picture, four small ones on their right; a domain that ends in a small one.
  const levels = [[1, 1, 0], [1, 1, 0]].flat();

  test.each([["xz", [3, 1, 2]], ["xy", [3, 2, 1]]] as const)("are lines in %s where a cell begins", (plane, counts) => {
    const points = edgesOfCells(cells(Field.CELL_LEVEL, levels), airLattice(counts), plane);
    const lines: string[] = [];
    for (let at = 0; at < points.length; at += 6)
      lines.push([0, 1, 3, 4].map((n) => ((points[at + n] ?? 0) * (n % 3 === 0 ? 3 : 2) + (n % 3 === 0 ? 1.5 : 1)).toFixed(0)).join(" "));
    expect(lines).toEqual(["0 0 2 0", "0 0 0 2", "2 0 3 0", "2 0 2 1", "2 1 3 1", "2 1 2 2"]);
  });

  test("are those of the layer through the middle", () => {
    const layers = [0, 0, 0, 0, 1, 1, 1, 1];
    const through = edgesOfCells(cells(Field.CELL_LEVEL, layers), airLattice([2, 2, 2]), "xy");
    expect(through.length).toBe(2 * 6);
  });
});

describe("a picture of cells", () => {
  // Two along x, two along y, three along z: the value of cell (i, j, k) is 100 i + 10 j + k.
  const lattice = airLattice([2, 2, 3]);
  const values = [0, 1, 2].flatMap((k) => [0, 1].flatMap((j) => [0, 1].map((i) => 100 * i + 10 * j + k)));
  const smoke = cells(Field.SMOKE, values);

  test.each([
    ["xz", 2, 3, [5, 105, 6, 106, 7, 107]],
    ["xy", 2, 2, [1, 101, 11, 111]],
    ["yz", 2, 3, [50, 60, 51, 61, 52, 62]],
  ] as const)("has in %s the mean over what lies behind each pixel", (plane, width, height, means) => {
    const slice = meanAlong(smoke, lattice, plane);
    expect([slice.width, slice.height]).toEqual([width, height]);
    expect([...slice.means.words]).toEqual(means);
    expect(slice.means.field).toBe(Field.SMOKE);
  });

  test("has of one layer the cells themselves, all numbers of each, and the same from integers", () => {
    const dye = { ...cells(Field.DYE, [0, 2, 4, 6, 8, 10], 3), words: Uint16Array.of(0, 2, 4, 6, 8, 10), origin: [1, 0, 0], step: [0.5, 1, 2] };
    const { width, height, means } = meanAlong(dye, airLattice([2, 1, 1]), "xz");
    expect([width, height, means.components]).toEqual([2, 1, 3]);
    expect([...means.words]).toEqual([1, 2, 8, 4, 8, 20]);
  });

  test("is read off by share of width and height; nothing beside it", () => {
    const slice = meanAlong(smoke, lattice, "xz");
    expect(sliceAt(slice, 0.6, 0.4)).toEqual([106]);
    expect(sliceAt(slice, 0, 0.99)).toEqual([7]);
    expect(sliceAt(slice, 1, 0.5)).toBeUndefined();
    expect(sliceAt(slice, 0.5, -0.1)).toBeUndefined();
  });

  test("is coloured by the map from the least to the most, and clamps", () => {
    const slice = meanAlong(cells(Field.TEMPERATURE, [300, 340, 500, 900]), airLattice([4, 1, 1]), "xz");
    const bytes = mapPixels(slice, "fire", { least: 300, most: 500 });
    const pixel = (i: number): number[] => [...bytes.subarray(4 * i, 4 * i + 4)];
    expect(pixel(0)).toEqual([...colourAt("fire", 0), 255]);
    expect(pixel(1)).toEqual([...colourAt("fire", 51 / 255), 255]);
    expect(pixel(2)).toEqual([...colourAt("fire", 1), 255]);
    expect(pixel(3)).toEqual(pixel(2));
  });
});

describe("dye", () => {
  const pixels = (dye: readonly number[], backdrop: { r: number; g: number; b: number }): number[] =>
    [...dyePixels(meanAlong(cells(Field.DYE, dye, 3), airLattice([dye.length / 3, 1, 1]), "xz"), backdrop)];

  test("goes from linear light to sRGB", () => {
    // By IEC 61966-2-1 half of the light is byte 188, a four-hundredth byte 8 (12.92 * 255 / 400 = 8.2).
    expect([0, 0.0025, 0.5, 1, 2, -1].map(srgbByte)).toEqual([0, 8, 188, 255, 255, 0]);
  });

  test("covers the backdrop as far as there is of it", () => {
    const light = { r: 1, g: 1, b: 1 };
    expect(pixels([0, 0, 0], light)).toEqual([255, 255, 255, 255]);
    expect(pixels([1, 0, 0], light)).toEqual([255, 0, 0, 255]);
    expect(pixels([0.5, 0, 0], light)).toEqual([255, 188, 188, 255]);
    expect(pixels([0.5, 0, 0], { r: 0, g: 0, b: 0 })).toEqual([188, 0, 0, 255]);
  });

  test("keeps its hue where there is more of it than 1", () => {
    expect(pixels([4, 2, 0], { r: 1, g: 1, b: 1 })).toEqual([255, 188, 0, 255]);
  });
});

describe("the range of what a gas carries", () => {
  test("has the few cells that have any", () => {
    const values = Array.from({ length: 1000 }, (_, i) => (i === 500 ? 0.75 : 0));
    expect(rangeOf(cells(Field.SMOKE, values))).toEqual({ least: 0, most: 0.75 });
    // Pressure has outliers at corners.
    expect(rangeOf(cells(Field.PRESSURE, values))?.most).toBe(0);
  });

  test("makes no picture of smoke that has faded, nor of heat that is none", () => {
    expect(rangeOf(cells(Field.SMOKE, [0, 1e-6]))).toEqual({ least: 0, most: 0.01 });
    expect(rangeOf(cells(Field.TEMPERATURE, [293, 293]))).toEqual({ least: 293, most: 294 });
  });

  test("starts where the temperature does, not at 0 kelvin", () => {
    expect(followRange(undefined, { least: 293, most: 400 }, Field.TEMPERATURE).least).toBe(293);
    expect(followRange(undefined, { least: 293, most: 400 }, Field.DENSITY).least).toBe(0);
  });
});

describe("a scene with a gas alone", () => {
  test("offers the fields that it has, smoke or dye first", () => {
    const offered = (fields: Field[]): Field[] => colourFields(storedFields(airLayout([4, 1, 4], fields))).map(({ field }) => field);
    expect(offered([Field.TEMPERATURE, Field.DYE, Field.SMOKE])).toEqual([Field.SMOKE, Field.DYE, Field.TEMPERATURE]);
    expect(offered([Field.TEMPERATURE, Field.DYE])).toEqual([Field.DYE, Field.TEMPERATURE]);
    expect(offered([Field.DYE, Field.VELOCITY])).toEqual([Field.DYE, Field.SPEED]);
    expect(offered([Field.SMOKE, Field.PRESSURE])).not.toContain(Field.SPEED);
  });

  test("is a volume where no axis has one layer", () => {
    expect(hasVolume(airLayout([4, 4, 4]))).toBe(true);
    expect(hasVolume(airLayout([4, 1, 4]))).toBe(false);
    expect(hasVolume(create(LayoutSchema, {}))).toBe(false);
    expect(gasOf(airLayout([4, 4, 4]))?.name).toBe(air([1, 1, 1]).name);
  });

  test("has a legend where colours stand for numbers", () => {
    const legend = (counts: readonly number[], colourBy: Field, view: "3d" | "xz"): boolean =>
      hasLegend(airLayout(counts), { ...defaultSettings, colourBy, view });
    expect(legend([4, 1, 4], Field.SMOKE, "3d")).toBe(true);
    expect(legend([4, 4, 4], Field.SMOKE, "3d")).toBe(false);
    expect(legend([4, 4, 4], Field.SMOKE, "xz")).toBe(true);
    expect(legend([4, 4, 4], Field.TEMPERATURE, "3d")).toBe(true);
    expect(legend([4, 1, 4], Field.DYE, "xz")).toBe(false);
  });

  test("is drawn with a map that suits the field, unless a person chose one", () => {
    expect(mapOf({ ...defaultSettings, colourBy: Field.TEMPERATURE })).toBe("fire");
    expect(mapOf({ ...defaultSettings, colourBy: Field.SPEED })).toBe("water");
    expect(mapOf({ ...defaultSettings, colourBy: Field.TEMPERATURE, map: "viridis" })).toBe("viridis");
  });
});
