// SPDX-License-Identifier: Apache-2.0
import { Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { create } from "@bufbuild/protobuf";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import { ClothSchema, ShapeSchema } from "@viewer/gen/sluice/v1/scene_pb";
import { valuesOf, type DecodedArray } from "@viewer/stream/decoded_frame";
import { colourAt, colourRow } from "@viewer/view/colour_maps";
import { binField, emptyBin, valueAt } from "@viewer/view/field_bins";
import { edgesOf, triangleIndices, vertexNormals } from "@viewer/view/mesh_topology";
import { pinVertices } from "@viewer/view/pins";
import { isInside, worldFromBody } from "@viewer/view/shape_geometry";
import { followRange, rangeOf } from "@viewer/view/value_range";

function array(values: readonly number[], components: number): DecodedArray {
  return {
    body: "water", field: Field.POSITION, count: values.length / components, components,
    words: Float32Array.from(values), origin: Array<number>(components).fill(0), step: Array<number>(components).fill(1),
  };
}

describe("colours", () => {
  test("go from the first stop to the last, and clamp", () => {
    expect(colourAt("viridis", 0)).toEqual([0x44, 0x01, 0x54]);
    expect(colourAt("viridis", 1)).toEqual([0xfd, 0xe7, 0x25]);
    expect(colourAt("viridis", 7)).toEqual(colourAt("viridis", 1));
    expect(colourAt("viridis", Number.NaN)).toEqual(colourAt("viridis", 0));
  });

  test("grow lighter along a map that is not of two sides, so that it reads without colour", () => {
    for (const name of ["water", "viridis", "magma", "grey"] as const) {
      const row = colourRow(name, 64);
      const light = Array.from({ length: 64 }, (_, i) => 0.2126 * (row[i * 4] ?? 0) + 0.7152 * (row[i * 4 + 1] ?? 0) + 0.0722 * (row[i * 4 + 2] ?? 0));
      expect(light.every((x, i) => i === 0 || x >= (light[i - 1] ?? 0) - 1)).toBe(true);
    }
  });
});

describe("the range of values", () => {
  test("leaves single outliers out", () => {
    const values = Array.from({ length: 1000 }, (_, i) => i / 1000);
    const range = rangeOf(array([...values, 1e6], 1));
    expect(range?.most).toBeCloseTo(0.99, 1);
  });

  test("is of lengths for vectors, and nothing for nothing", () => {
    expect(rangeOf(array([3, 4, 0], 3))).toEqual({ least: 5, most: 5 });
    expect(rangeOf(array([], 1))).toBeUndefined();
    expect(rangeOf(array([Number.NaN], 1))).toBeUndefined();
  });

  test("grows at once and shrinks slowly; what is never negative starts at 0", () => {
    const start = followRange(undefined, { least: 1, most: 2 });
    expect(start).toEqual({ least: 0, most: 2 });
    expect(followRange(start, { least: 0, most: 5 }).most).toBe(5);
    const shrunk = followRange(start, { least: 0, most: 1 }).most;
    expect(shrunk).toBeGreaterThan(1.9);
    expect(shrunk).toBeLessThan(2);
    expect(followRange(start, { least: -3, most: 1 }).least).toBe(-3);
  });
});

test("quantised numbers become what the header says they mean", () => {
  const quantised = { ...array([], 2), count: 2, words: Uint16Array.of(0, 1, 65535, 2), origin: [-1, 10], step: [0.5, 0.25] };
  expect([...valuesOf(quantised)]).toEqual([-1, 10.25, 32766.5, 10.5]);
});

describe("a field's picture", () => {
  const grid = { plane: "xz", lower: [0, 0, 0], upper: [2, 9, 1], cell: 1, reach: 0 } as const;

  test("has the mean of what lies behind each pixel, and nothing where nothing is", () => {
    const positions = array([0.5, 1, 0.5, 0.6, 8, 0.2, 5, 1, 0.5], 3);
    const { width, height, values } = binField(positions, array([1, 3, 99], 1), grid);
    expect([width, height]).toEqual([2, 1]);
    expect([...values]).toEqual([2, Math.fround(emptyBin)]);
  });

  test("spreads a particle over the pixels that it reaches, and keeps its value", () => {
    const positions = array([0.5, 1, 0.5], 3);
    const { width, values } = binField(positions, array([7], 1), { ...grid, cell: 0.25, reach: 1.5 });
    const filled = [...values].flatMap((value, i) => (Math.abs(value - 7) < 1e-5 ? [[i % width, Math.floor(i / width)]] : []));
    expect(filled).toEqual([1, 2].flatMap((j) => [1, 2].map((i) => [i, j])));
  });

  test("is read off by share of width and height; nothing beside it and where no particle is", () => {
    const bins = { width: 2, height: 2, values: Float32Array.of(1, 2, 3, emptyBin) };
    expect(valueAt(bins, 0, 0)).toBe(1);
    expect(valueAt(bins, 0.99, 0.49)).toBe(2);
    expect(valueAt(bins, 0.2, 0.6)).toBe(3);
    expect(valueAt(bins, 0.9, 0.9)).toBeUndefined();
    expect(valueAt(bins, 1, 0.2)).toBeUndefined();
    expect(valueAt(bins, 0.5, -0.01)).toBeUndefined();
  });

  test("is the same from quantised positions", () => {
    const exact = array([0.5, 1, 0.5, 1.5, 8, 0.25], 3);
    const quantised = { ...exact, words: Uint16Array.of(1, 2, 2, 3, 16, 1), origin: [0, 0, 0], step: [0.5, 0.5, 0.25] };
    expect(binField(quantised, undefined, grid)).toEqual(binField(exact, undefined, grid));
  });
});

describe("triangles", () => {
  const square = Uint32Array.of(0, 1, 2, 0, 2, 3);

  test("come as little-endian integers, wherever the bytes stand", () => {
    const bytes = new Uint8Array([9, 1, 0, 0, 0, 0, 1, 0, 0]);
    expect([...triangleIndices(bytes.subarray(1))]).toEqual([1, 256]);
  });

  test("share edges, which are drawn once", () => {
    expect(edgesOf(square).length / 2).toBe(5);
  });

  test("give vertices normals: up for a flat square, between the faces at a fold", () => {
    const normals = new Float32Array(12);
    vertexNormals(Float32Array.of(0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0), square, normals);
    expect([...normals]).toEqual([0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1]);
    // Folded by a right angle along 0-2: the two faces have normals at a right angle, and the fold's vertices the middle.
    vertexNormals(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1), Uint32Array.of(0, 1, 2, 0, 2, 3), normals);
    expect(normals[0]).toBeCloseTo(Math.SQRT1_2);
    expect(normals[2]).toBeCloseTo(Math.SQRT1_2);
  });
});

describe("shapes", () => {
  test("stand where their transform puts them: about fixed x, then y, then z", () => {
    // By hand: (0, 0, 1) about x by 90 degrees is (0, -1, 0); about z by 90 degrees that is (1, 0, 0).
    const at = new Vector3(0, 0, 1).applyMatrix4(worldFromBody(create(ShapeSchema, { transform: { rotationDegrees: [90, 0, 90], translation: [0, 0, 5] } }).transform));
    expect(at.distanceTo(new Vector3(1, 0, 5))).toBeLessThan(1e-12);
  });

  test.each([
    ["box", create(ShapeSchema, { form: { case: "box", value: { size: [2, 4, 6] } } }), [0.9, -1.9, 2.9], [1.1, 0, 0]],
    ["sphere", create(ShapeSchema, { form: { case: "sphere", value: { radius: 1 } } }), [0.5, 0.5, 0.5], [0.6, 0.6, 0.6]],
    ["capsule", create(ShapeSchema, { form: { case: "capsule", value: { radius: 1, length: 2 } } }), [0, 0, 1.9], [0.9, 0, 1.9]],
    ["cylinder", create(ShapeSchema, { form: { case: "cylinder", value: { radius: 1, length: 2 } } }), [0.9, 0, 0.9], [0, 0, 1.1]],
    ["half-space", create(ShapeSchema, { form: { case: "halfSpace", value: {} } }), [50, 50, -1], [0, 0, 0.1]],
  ])("%s: what is inside", (_, shape, inside, outside) => {
    expect(isInside(shape, new Vector3().fromArray(inside))).toBe(true);
    expect(isInside(shape, new Vector3().fromArray(outside))).toBe(false);
  });
});

test("a pin holds the vertices it names and those of its region that no other pin has", () => {
  const region = { form: { case: "box" as const, value: { size: [1, 1, 1] } } };
  const cloth = create(ClothSchema, { name: "sheet", pins: [{ region }, { name: "hook", vertices: [1], region }] });
  const initial = Float32Array.of(0, 0, 0, 0.1, 0, 0, 9, 0, 0);
  expect(pinVertices(cloth, initial)).toEqual([
    { name: "pin0", vertices: [0] },
    { name: "hook", vertices: [1] },
  ]);
});
