// SPDX-License-Identifier: Apache-2.0
import {
  AddEquation, BackSide, BoxGeometry, CustomBlending, Data3DTexture, GLSL3, LinearFilter, Mesh, OneFactor, OneMinusSrcAlphaFactor,
  RawShaderMaterial, Vector3, type Texture,
} from "three";
import type { Lattice } from "./lattice";
import { lookOf, type VolumeFields } from "./volume_looks";
import { mostSteps, volumeFragmentShader, volumeVertexShader } from "./volume_shaders";
import { fillTexels, texelGrid, type TexelGrid } from "./volume_texels";

/** Full density that lets 1/e of the light through is as thick as this share of the domain's longest side. */
const thicknessShare = 1 / 24;

/** A gas in three dimensions, drawn by following rays through it. */
export class Volume {
  readonly object: Mesh<BoxGeometry, RawShaderMaterial>;
  private readonly grid: TexelGrid;
  private readonly texels: Uint8Array<ArrayBuffer>;
  private readonly texture: Data3DTexture;
  private readonly size: Vector3;
  private extinction = 1;

  constructor(private readonly lattice: Lattice) {
    const { box, counts } = lattice;
    this.size = box.getSize(new Vector3());
    this.grid = texelGrid(counts);
    const [nx, ny, nz] = this.grid.counts;
    this.texels = new Uint8Array(nx * ny * nz * 4);
    this.texture = new Data3DTexture(this.texels, nx, ny, nz);
    this.texture.minFilter = this.texture.magFilter = LinearFilter;
    const filled = new Vector3(...counts).divide(new Vector3(nx, ny, nz)).divideScalar(this.grid.every);
    const material = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: volumeVertexShader, fragmentShader: volumeFragmentShader, side: BackSide,
      transparent: true, depthTest: false, depthWrite: false,
      blending: CustomBlending, blendEquation: AddEquation, blendSrc: OneFactor, blendDst: OneMinusSrcAlphaFactor,
      uniforms: {
        texels: { value: this.texture }, solidDepth: { value: null }, lower: { value: box.min }, upper: { value: box.max },
        filled: { value: filled }, extinction: { value: 1 }, stepLength: { value: 1 },
      },
    });
    this.object = new Mesh(new BoxGeometry(), material);
    this.object.scale.copy(this.size);
    this.object.position.copy(box.getCenter(new Vector3()));
    this.object.frustumCulled = false;
    this.object.visible = false;
    this.setOpacity(1);
    this.setSteps(1);
  }

  /** Times what full density keeps back. Frames that come later are lit by it. */
  setOpacity(opacity: number): void {
    this.extinction = opacity / (thicknessShare * Math.max(...this.size.toArray()));
    this.set("extinction", this.extinction);
  }

  /** With a share of the steps that show all there is, in (0, 1]: two a texel. */
  setSteps(share: number): void {
    const { grid, size } = this;
    const texel = Math.min(...size.toArray().map((length, axis) => length / (grid.counts[axis] ?? 1)));
    // However one looks through the box, the steps reach its other end.
    this.set("stepLength", Math.max(texel / (2 * share), size.length() / (mostSteps - 1)));
  }

  setFields(fields: VolumeFields): void {
    const layer = this.size.z / this.grid.counts[2];
    fillTexels(this.texels, this.lattice.counts, this.grid, lookOf(fields), this.extinction * layer);
    this.texture.needsUpdate = true;
  }

  /** What is solid in it and before it: see SolidDepth. */
  setSolidDepth(depth: Texture): void {
    this.set("solidDepth", depth);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.texture.dispose();
  }

  private set(name: string, value: unknown): void {
    const uniform = this.object.material.uniforms[name];
    if (uniform === undefined) throw new Error(`the volume's shader has no ${name}`);
    uniform.value = value;
  }
}
