// SPDX-License-Identifier: Apache-2.0
import { DepthTexture, DoubleSide, MeshBasicMaterial, UnsignedIntType, WebGLRenderTarget, type Camera, type Scene as World, type WebGLRenderer } from "three";

/** Objects in this layer hide particles: surfaces and obstacles. */
export const solidLayer = 1;

/**
 * The depth of everything solid, drawn before the particles. Spheres are larger than the gap that contact keeps, so those of
 * water in a fold reach through the cloth: a particle whose centre is behind something solid is not drawn at all.
 */
export class SolidDepth {
  private readonly target = new WebGLRenderTarget(1, 1, { depthTexture: new DepthTexture(1, 1, UnsignedIntType) });
  private readonly material = new MeshBasicMaterial({ colorWrite: false, side: DoubleSide });

  /** Draws it at `width` by `height` pixels; answers with the texture. */
  draw(renderer: WebGLRenderer, world: World, camera: Camera, width: number, height: number): DepthTexture {
    const { target } = this;
    if (target.width !== width || target.height !== height) target.setSize(width, height);
    const { background } = world;
    const layers = camera.layers.mask;
    world.background = null;
    world.overrideMaterial = this.material;
    camera.layers.set(solidLayer);
    renderer.setRenderTarget(target);
    renderer.render(world, camera);
    renderer.setRenderTarget(null);
    camera.layers.mask = layers;
    world.overrideMaterial = null;
    world.background = background;
    if (target.depthTexture === null) throw new Error("the target has lost its depth");
    return target.depthTexture;
  }

  dispose(): void {
    this.target.dispose();
    this.material.dispose();
  }
}
