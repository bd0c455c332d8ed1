// SPDX-License-Identifier: Apache-2.0
import { DataTexture, DoubleSide, LinearFilter, Mesh, MeshBasicMaterial, PlaneGeometry, RGBAFormat, SRGBColorSpace } from "three";

/** A picture of cells, of one metre by one, to be scaled to its plane. Between the middles of cells it is smooth. */
export class CellImage {
  /** Behind what lies in its plane: the bodies in a flow in two dimensions. */
  readonly object = new Mesh(
    new PlaneGeometry(1, 1),
    new MeshBasicMaterial({ side: DoubleSide, toneMapped: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }),
  );
  private texture: DataTexture | undefined;

  constructor() {
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  /** RGBA bytes of sRGB, row by row from the lower left. */
  setPixels(width: number, height: number, bytes: Uint8Array): void {
    const { material } = this.object;
    if (this.texture?.image.width !== width || this.texture.image.height !== height) {
      this.texture?.dispose();
      this.texture = new DataTexture(bytes, width, height, RGBAFormat);
      this.texture.colorSpace = SRGBColorSpace;
      this.texture.minFilter = this.texture.magFilter = LinearFilter;
      material.map = this.texture;
      material.needsUpdate = true;
    } else {
      this.texture.image.data = bytes;
    }
    this.texture.needsUpdate = true;
  }

  /** In 2D it is the ground that everything else is drawn upon; in 3D it hides what is behind it. */
  setFlatView(flat: boolean): void {
    const { object } = this;
    object.renderOrder = flat ? -1 : 0;
    object.material.depthTest = object.material.depthWrite = !flat;
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
    this.texture?.dispose();
  }
}
