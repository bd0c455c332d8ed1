// SPDX-License-Identifier: Apache-2.0

/** Texels of a volume at most: for more, a frame would take longer than the eye waits for. */
const mostTexels = 2 ** 22;
/** The texels that every WebGL 2 has room for along an axis. */
const mostAnAxis = 256;
/** Light that reaches what lies in full shade. */
const ambient = 0.25;

/** The texels that stand for a lattice: one for each of its cells, or for every so many along each axis where they are too many. */
export interface TexelGrid {
  readonly counts: readonly [number, number, number];
  /** Cells along an axis from one texel to the next. */
  readonly every: number;
}

export function texelGrid(cells: readonly [number, number, number]): TexelGrid {
  for (let every = 1; ; ++every) {
    const counts = cells.map((count) => Math.ceil(count / every)) as [number, number, number];
    if (Math.max(...counts) <= mostAnAxis && counts[0] * counts[1] * counts[2] <= mostTexels) return { counts, every };
  }
}

/** The look of a cell, set for one cell after the other. Colours are linear. */
export interface CellLook {
  /** How much of the light through a cell of full density what is lit keeps back, in [0, 1], and its colour. */
  lit: number;
  litColour: readonly [number, number, number];
  /** The same of what shines by itself. */
  glowing: number;
  glowColour: readonly [number, number, number];
}

/** Says how a cell, by its row, looks. */
export type LookAt = (row: number, look: CellLook) => void;

/** The first and the last texel along x, y and z with anything in them; of an empty volume the first is beyond the last. */
export interface TexelBounds {
  readonly first: readonly [number, number, number];
  readonly last: readonly [number, number, number];
}

/**
 * Writes a texel for each cell: red, green and blue times density, and the density, each as the root of it, which leaves more
 * bytes for what is thin. Answers with where there is anything.
 *
 * Light comes straight down from the domain's upper side and is kept back on its way: `shade` is how much more than what goes
 * on a layer of cells of full density keeps back [T_below = T / (1 + shade d), for exp(-shade d)]. Lit gas is shown in that
 * light and some that comes from everywhere.
 */
export function fillTexels(
  texels: Uint8Array, cells: readonly [number, number, number], grid: TexelGrid, lookAt: LookAt, shade: number,
): TexelBounds {
  const { every } = grid;
  const [nx, ny, nz] = grid.counts;
  texels.fill(0);
  const light = new Float32Array(nx * ny).fill(1);
  const first: [number, number, number] = [nx, ny, nz];
  const last: [number, number, number] = [-1, -1, -1];
  const look: CellLook = { lit: 0, litColour: [0, 0, 0], glowing: 0, glowColour: [0, 0, 0] };
  const cell = (texel: number, axis: 0 | 1 | 2): number => Math.min(texel * every + (every >> 1), cells[axis] - 1);
  for (let k = nz - 1; k >= 0; --k) {
    for (let j = 0, column = 0; j < ny; ++j) {
      const row = (cell(k, 2) * cells[1] + cell(j, 1)) * cells[0];
      for (let i = 0, to = (k * ny + j) * nx * 4; i < nx; ++i, ++column, to += 4) {
        lookAt(row + (every === 1 ? i : cell(i, 0)), look);
        const { lit, litColour, glowing, glowColour } = look;
        const density = lit + glowing - lit * glowing;
        if (!(density > 0)) continue;
        if (i < first[0]) first[0] = i;
        if (i > last[0]) last[0] = i;
        if (j < first[1]) first[1] = j;
        if (j > last[1]) last[1] = j;
        if (k < first[2]) first[2] = k;
        if (k > last[2]) last[2] = k;
        const shine = lit * (1 - glowing) * (ambient + (1 - ambient) * (light[column] ?? 1));
        for (let c = 0; c < 3; ++c) texels[to + c] = 255 * Math.sqrt((litColour[c] ?? 0) * shine + (glowColour[c] ?? 0) * glowing) + 0.5;
        texels[to + 3] = 255 * Math.sqrt(density) + 0.5;
        light[column] = (light[column] ?? 1) / (1 + shade * density);
      }
    }
  }
  return { first, last };
}
