// SPDX-License-Identifier: Apache-2.0
import {
  DataTexture, FloatType, GLSL3, LinearFilter, Mesh, NearestFilter, PlaneGeometry, RawShaderMaterial, RedFormat, RGBAFormat, Vector2,
} from "three";
import { colourRow, type ColourMapName } from "./colour_maps";
import { emptyBin, valueAt, type FieldBins } from "./field_bins";
import type { ValueRange } from "./value_range";

const vertexShader = /* glsl */ `
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
in vec3 position;
in vec2 uv;
out vec2 vUv;
void main() {
  vUv = uv;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}
`;

const fragmentShader = /* glsl */ `
precision highp float;
uniform highp sampler2D bins;
uniform sampler2D colours;
uniform vec2 valueRange;
in vec2 vUv;
out vec4 colour;
void main() {
  float x = texture(bins, vUv).r;
  if (x < ${(emptyBin / 10).toExponential(1)}) discard;
  float t = clamp((x - valueRange.x) / max(valueRange.y - valueRange.x, 1e-12), 0.0, 1.0);
  colour = vec4(texture(colours, vec2(t * 0.996 + 0.002, 0.5)).rgb, 1.0);
}
`;

/** A field's bins as a picture of one metre by one, to be scaled to its plane. */
export class FieldImage {
  readonly object: Mesh<PlaneGeometry, RawShaderMaterial>;
  private readonly colours = new DataTexture(colourRow("water", 256), 256, 1, RGBAFormat);
  private bins = new DataTexture(new Float32Array([emptyBin]), 1, 1, RedFormat, FloatType);
  private shown: FieldBins = { width: 1, height: 1, values: new Float32Array([emptyBin]) };

  constructor() {
    this.colours.minFilter = this.colours.magFilter = LinearFilter;
    const material = new RawShaderMaterial({
      glslVersion: GLSL3, vertexShader, fragmentShader, depthWrite: false, depthTest: false,
      uniforms: { bins: { value: this.bins }, colours: { value: this.colours }, valueRange: { value: new Vector2(0, 1) } },
    });
    this.object = new Mesh(new PlaneGeometry(1, 1), material);
    this.object.renderOrder = -1;
    this.object.frustumCulled = false;
  }

  setBins(bins: FieldBins): void {
    this.shown = bins;
    const { width, height, values } = bins;
    if (this.bins.image.width !== width || this.bins.image.height !== height) {
      this.bins.dispose();
      this.bins = new DataTexture(values, width, height, RedFormat, FloatType);
      this.bins.minFilter = this.bins.magFilter = NearestFilter;
      this.set("bins", this.bins);
    } else {
      this.bins.image.data = values;
    }
    this.bins.needsUpdate = true;
  }

  /** See field_bins. */
  valueAt(u: number, v: number): number | undefined {
    return valueAt(this.shown, u, v);
  }

  setColours(map: ColourMapName, range: ValueRange): void {
    this.colours.image.data = colourRow(map, 256);
    this.colours.needsUpdate = true;
    this.set("valueRange", new Vector2(range.least, range.most));
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.colours.dispose();
    this.bins.dispose();
  }

  private set(name: string, value: unknown): void {
    const uniform = this.object.material.uniforms[name];
    if (uniform !== undefined) uniform.value = value;
  }
}
