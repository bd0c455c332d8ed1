// SPDX-License-Identifier: Apache-2.0
import { BufferGeometry, DataTexture, GLSL3, LinearFilter, Points, RawShaderMaterial, RGBAFormat, Vector2, Vector3, type Texture } from "three";
import type { DecodedArray } from "@viewer/stream/decoded_frame";
import { colourRow, type ColourMapName } from "./colour_maps";
import { particleFragmentShader, particleVertexShader } from "./particle_shaders";
import { setAttribute, triple } from "./quantised_attribute";
import { thin } from "./thin";
import type { ValueRange } from "./value_range";

/** Spheres at least this many pixels across have a depth of their own in each pixel. */
const depthPixels = 14;

/** One body of particles, drawn as spheres coloured by a field. */
export class ParticleCloud {
  readonly object: Points<BufferGeometry, RawShaderMaterial>;
  private readonly colours: DataTexture;
  private frame: { readonly positions: DecodedArray; readonly values: DecodedArray | undefined } | undefined;
  private radius = 0.01;
  private every = 1;

  /** `origin`: see localOrigin. */
  constructor(private readonly origin: Vector3) {
    this.colours = new DataTexture(colourRow("water", 256), 256, 1, RGBAFormat);
    this.colours.minFilter = this.colours.magFilter = LinearFilter;
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: `uniform mat4 modelViewMatrix;\nuniform mat4 projectionMatrix;\n${particleVertexShader}`,
      fragmentShader: particleFragmentShader,
      uniforms: {
        positionOrigin: { value: new Vector3() },
        positionStep: { value: new Vector3(1, 1, 1) },
        valueOrigin: { value: new Vector3() },
        valueStep: { value: new Vector3(1, 1, 1) },
        valueIsVector: { value: false },
        valueRange: { value: new Vector2(0, 1) },
        radius: { value: 0.01 },
        pixelsPerUnit: { value: 1 },
        orthographic: { value: false },
        solidDepth: { value: null },
        colours: { value: this.colours },
        lightDirection: { value: new Vector3(0, 0, 1) },
        highlight: { value: false },
      },
    });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false; // The bounds of integers say nothing.
    this.object.position.copy(origin);
  }

  setFrame(positions: DecodedArray, values: DecodedArray | undefined): void {
    this.frame = { positions, values };
    this.fill();
  }

  /** Draws one of `every` particles, as large as it takes to fill the others' place. */
  setThinning(every: number): void {
    if (every === this.every) return;
    this.every = every;
    this.setRadius(this.radius);
    this.fill();
  }

  private fill(): void {
    if (this.frame === undefined) return;
    const positions = thin(this.frame.positions, this.every);
    const values = this.frame.values && thin(this.frame.values, this.every);
    const { geometry } = this.object;
    setAttribute(geometry, "quantised", positions);
    setAttribute(geometry, "value", values ?? positions);
    this.vector("positionOrigin").set(...triple(positions.origin, 0)).sub(this.origin);
    this.vector("positionStep").set(...triple(positions.step, 1));
    // Without values the range is set so that all have the colour in the middle.
    this.vector("valueOrigin").set(...triple(values?.origin ?? [0.5], 0));
    this.vector("valueStep").set(...triple(values?.step ?? [0, 0, 0], 0));
    this.uniform("valueIsVector").value = (values?.components ?? 1) > 1;
    geometry.setDrawRange(0, positions.count);
  }

  setColours(map: ColourMapName, range: ValueRange): void {
    this.colours.image.data = colourRow(map, 256);
    this.colours.needsUpdate = true;
    (this.uniform("valueRange").value as Vector2).set(range.least, range.most);
  }

  /** In metres. */
  setRadius(radius: number): void {
    this.radius = radius;
    this.uniform("radius").value = radius * Math.cbrt(this.every);
  }

  setHighlight(highlight: boolean): void {
    this.uniform("highlight").value = highlight;
  }

  /**
   * How the camera sees: pixels of the drawing buffer that a metre is long (at distance 1 in perspective); `distance` is to the
   * middle of the scene, in metres, and 1 in an orthographic view.
   */
  setScale(pixelsPerUnit: number, distance: number, orthographic: boolean, lightDirection: Vector3): void {
    const pixels = (2 * (this.uniform("radius").value as number) * pixelsPerUnit) / distance;
    this.setSphereDepth(pixels >= depthPixels);
    this.uniform("pixelsPerUnit").value = pixelsPerUnit;
    this.uniform("orthographic").value = orthographic;
    this.vector("lightDirection").copy(lightDirection);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.colours.dispose();
  }

  /** Sets the depth of solids before the particles: see SolidDepth. */
  setSolidDepth(depth: Texture): void {
    this.uniform("solidDepth").value = depth;
  }

  private setSphereDepth(sphereDepth: boolean): void {
    const { material } = this.object;
    const { defines = {} } = material as { defines?: Record<string, unknown> };
    if ("SPHERE_DEPTH" in defines === sphereDepth) return;
    material.defines = sphereDepth ? { SPHERE_DEPTH: 1 } : {};
    material.needsUpdate = true;
  }

  private uniform(name: string): { value: unknown } {
    const uniform = this.object.material.uniforms[name];
    if (uniform === undefined) throw new Error(`the particle shader has no ${name}`);
    return uniform;
  }

  private vector(name: string): Vector3 {
    return this.uniform(name).value as Vector3;
  }
}
