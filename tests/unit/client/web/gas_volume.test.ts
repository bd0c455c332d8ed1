// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import { lookOf, type VolumeFields } from "@viewer/view/volume_looks";
import { fillTexels, texelGrid, type CellLook, type LookAt } from "@viewer/view/volume_texels";
import { cells } from "./gas";

const white = [1, 1, 1] as const;

/** A look of white smoke, as dense as `density` says of a row. */
function smokeOf(density: (row: number) => number): LookAt {
  return (row, look) => {
    look.lit = density(row);
    look.litColour = white;
  };
}

function texelsOf(counts: readonly [number, number, number], lookAt: LookAt, shade = 0): Uint8Array {
  const grid = texelGrid(counts);
  const texels = new Uint8Array(grid.counts[0] * grid.counts[1] * grid.counts[2] * 4);
  fillTexels(texels, counts, grid, lookAt, shade);
  return texels;
}

describe("the texels of a volume", () => {
  test("are the cells, as long as they are not too many", () => {
    expect(texelGrid([128, 128, 128])).toEqual({ counts: [128, 128, 128], every: 1 });
    expect(texelGrid([300, 10, 10])).toEqual({ counts: [150, 5, 5], every: 2 });
    const { counts, every } = texelGrid([256, 256, 255]);
    expect(every).toBe(2);
    expect(counts).toEqual([128, 128, 128]);
  });

  test("stand in the order of the cells, densities as roots", () => {
    // Every density is a square: the byte is its root's.
    const texels = texelsOf([2, 3, 4], smokeOf((row) => (row / 23) ** 2));
    const densities = Array.from({ length: 24 }, (_, row) => texels[4 * row + 3]);
    expect(densities).toEqual(Array.from({ length: 24 }, (_, row) => Math.round((255 * row) / 23)));
  });

  test("take of too many cells those in the middle, and never one beyond the last", () => {
    const rows = new Set<number>();
    texelsOf([301, 1, 1], (row) => rows.add(row));
    expect(Math.min(...rows)).toBe(1);
    expect(Math.max(...rows)).toBe(300);
    expect(rows.size).toBe(151);
  });

  test("have colour times density, so that empty neighbours darken nothing", () => {
    const texels = texelsOf([2, 1, 1], (row, look) => {
      look.lit = row === 0 ? 0.25 : 0;
      look.litColour = [1, 0.25, 0];
    });
    expect([...texels]).toEqual([128, 64, 0, 128, 0, 0, 0, 0]);
  });

  test("are darker below what keeps the light back, each column by itself", () => {
    // Two columns of three layers; over the first nothing, over the second a dense cell.
    const texels = texelsOf([2, 1, 3], smokeOf((row) => (row === 4 ? 0 : 1)), 1);
    const light = (row: number): number => ((texels[4 * row] ?? 0) / 255) ** 2;
    expect(light(5)).toBeCloseTo(1, 2);
    expect(light(2)).toBeCloseTo(1, 2);
    // By hand: half of the light goes through a layer, and a quarter comes from everywhere: 1/4 + 3/4 / 2.
    expect(light(3)).toBeCloseTo(0.625, 2);
    expect(light(0)).toBeCloseTo(0.625, 2);
    expect(light(1)).toBeCloseTo(0.4375, 2);
  });

  test("shine in the shade where they shine by themselves", () => {
    const texels = texelsOf([1, 1, 2], (row, look) => {
      look.lit = row === 1 ? 1 : 0;
      look.litColour = white;
      look.glowing = row === 0 ? 1 : 0;
      look.glowColour = [1, 0.25, 0];
    }, 1e6);
    expect([...texels.subarray(0, 4)]).toEqual([255, 128, 0, 255]);
  });

  test("hide half of what is lit behind half of what shines", () => {
    const texels = texelsOf([1, 1, 1], (_, look) => {
      look.lit = 0.5;
      look.litColour = [0, 1, 0];
      look.glowing = 0.5;
      look.glowColour = [1, 0, 0];
    });
    // By hand: 1/2 of red, 1/2 * 1/2 of green; 1 - 1/2 * 1/2 of the light is kept back.
    expect([...texels]).toEqual([0.5, 0.25, 0, 0.75].map((x) => Math.round(255 * Math.sqrt(x))));
  });

  test("say where there is anything, for rays to go through that alone", () => {
    const counts = [4, 5, 6] as const;
    const bounds = (filled: readonly number[]): object =>
      fillTexels(new Uint8Array(4 * 120), counts, texelGrid(counts), smokeOf((row) => (filled.includes(row) ? 1 : 0)), 0);
    // Cells (1, 3, 0) and (2, 0, 4).
    expect(bounds([1 + 4 * 3, 2 + 20 * 4])).toEqual({ first: [1, 0, 0], last: [2, 3, 4] });
    expect(bounds([])).toEqual({ first: [4, 5, 6], last: [-1, -1, -1] });
  });

  test("keep nothing of the frame before", () => {
    const texels = new Uint8Array(4).fill(99);
    fillTexels(texels, [1, 1, 1], texelGrid([1, 1, 1]), smokeOf(() => 0), 0);
    expect([...texels]).toEqual([0, 0, 0, 0]);
  });
});

describe("how a gas looks in three dimensions", () => {
  const smoke = cells(Field.SMOKE, [0, 1, 2]);
  const base: VolumeFields = {
    smoke, smokeRange: { least: 0, most: 2 }, chosen: smoke, chosenRange: { least: 0, most: 2 }, map: "fire",
    smokeColour: { r: 0.5, g: 0.5, b: 0.5 },
  };
  const looks = (fields: Partial<VolumeFields>): CellLook[] => {
    const lookAt = lookOf({ ...base, ...fields });
    return [0, 1, 2].map((row) => {
      const look: CellLook = { lit: 0, litColour: [0, 0, 0], glowing: 0, glowColour: [0, 0, 0] };
      lookAt(row, look);
      return { ...look, litColour: [...look.litColour] as never };
    });
  };

  test("smoke is lit, and as dense as its share of the thickest", () => {
    expect(looks({}).map(({ lit }) => lit)).toEqual([0, 0.5, 1]);
    expect(looks({}).every(({ glowing }) => glowing === 0)).toBe(true);
  });

  test("dye takes the place of the smoke's colour, and is there without smoke", () => {
    const chosen = cells(Field.DYE, [1, 0, 0, 0, 2, 0, 0, 0, 0], 3);
    const [red, green, grey] = looks({ chosen });
    expect([red?.lit, red?.litColour]).toEqual([1, [1, 0, 0]]);
    expect([green?.lit, green?.litColour]).toEqual([1, [0, 1, 0]]);
    expect([grey?.lit, grey?.litColour]).toEqual([1, [0.5, 0.5, 0.5]]);
    expect(looks({ chosen, smoke: undefined }).map(({ lit }) => lit)).toEqual([1, 1, 0]);
  });

  test("heat shines, with the smoke around it", () => {
    const chosen = cells(Field.TEMPERATURE, [300, 300, 800]);
    const found = looks({ chosen, chosenRange: { least: 300, most: 800 } });
    expect(found.map(({ glowing }) => glowing)).toEqual([0, 0, 1]);
    expect(found.map(({ lit }) => lit)).toEqual([0, 0.5, 1]);
    const [r = 0, g = 0, b = 0] = found[2]?.glowColour ?? [];
    expect(r >= g && g >= b).toBe(true);
  });

  test("other fields colour the smoke, and without any stand where they are far from 0", () => {
    const chosen = cells(Field.PRESSURE, [-1, 0, 3]);
    const chosenRange = { least: -1, most: 3 };
    expect(looks({ chosen, chosenRange }).map(({ lit, glowing }) => [lit, glowing])).toEqual([[0, 0], [0.5, 0], [1, 0]]);
    const alone = looks({ chosen, chosenRange, smoke: undefined }).map(({ glowing }) => glowing);
    expect(alone[0]).toBeCloseTo(1 / 3);
    expect(alone[1]).toBeCloseTo(0);
    expect(alone[2]).toBeCloseTo(1);
  });
});
