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
  /** The size of the lattice, and of the part of it that a texel stands for, in metres. */
  private readonly size: Vector3;
  private readonly texel: Vector3;
  private extinction = 1;

  constructor(private readonly lattice: Lattice) {
    const { box, counts } = lattice;
    this.size = box.getSize(new Vector3());
    this.grid = texelGrid(counts);
    const [nx, ny, nz] = this.grid.counts;
    this.texels = new Uint8Array(nx * ny * nz * 4);
    this.texture = new Data3DTexture(this.texels, nx, ny, nz);
    this.texture.minFilter = this.texture.magFilter = LinearFilter;
    this.texel = this.size.clone().divide(new Vector3(...counts)).multiplyScalar(this.grid.every);
    const metresToTexture = new Vector3(1, 1, 1).divide(this.texel).divide(new Vector3(nx, ny, nz));
    const material = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader: volumeVertexShader, fragmentShader: volumeFragmentShader, side: BackSide,
      transparent: true, depthTest: false, depthWrite: false,
      blending: CustomBlending, blendEquation: AddEquation, blendSrc: OneFactor, blendDst: OneMinusSrcAlphaFactor,
      uniforms: {
        texels: { value: this.texture }, solidDepth: { value: null }, lower: { value: new Vector3() }, upper: { value: this.size },
        eye: { value: new Vector3() }, metresToTexture: { value: metresToTexture }, extinction: { value: 1 }, stepLength: { value: 1 },
      },
    });
    this.object = new Mesh(new BoxGeometry(), material);
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
    const { texel, size } = this;
    // However one looks through the box, the steps reach its other end.
    this.set("stepLength", Math.max(Math.min(...texel.toArray()) / (2 * share), size.length() / (mostSteps - 1)));
  }

  setFields(fields: VolumeFields): void {
    const { lattice, grid, texel } = this;
    const { first, last } = fillTexels(this.texels, lattice.counts, grid, lookOf(fields), this.extinction * texel.z);
    this.texture.needsUpdate = true;
    // Between texels there is something until the middle of the next.
    const lower = new Vector3(...first).subScalar(0.5).multiply(texel).max(new Vector3());
    const upper = new Vector3(...last).addScalar(1.5).multiply(texel).min(this.size);
    this.set("lower", lower);
    this.set("upper", upper);
    this.object.scale.copy(upper).sub(lower).max(new Vector3());
    this.object.position.copy(lower).add(upper).divideScalar(2).add(lattice.box.min);
  }

  /** Where it is seen from, in the world. */
  setEye(eye: Vector3): void {
    this.set("eye", eye.clone().sub(this.lattice.box.min));
  }

  /** Sets the depth of solids in it and before it: see SolidDepth. */
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
