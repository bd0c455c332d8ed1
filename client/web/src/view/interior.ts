// SPDX-License-Identifier: Apache-2.0
import { BoxGeometry, type Box3, type Color, Group, InstancedMesh, Matrix4, MeshLambertMaterial, Quaternion, Vector3 } from "three";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import { valuesOf, type DecodedArray } from "@viewer/stream/decoded_frame";
import { axesOf, binField, type Plane } from "./field_bins";
import { FieldImage } from "./field_image";
import { placePicture } from "./picture_place";
import { solidLayer } from "./solid_depth";

/** Numbers of a row of Field.INTERIOR_CELL: the middle and the edge. */
const rowLength = 4;
/** Points of a cell's picture, along each axis, for each pixel: none of them is missed. */
const pointsPerPixel = 1.2;

/** The cells of a liquid that have no particles: boxes in 3D, one even colour in 2D. */
export class Interior {
  readonly object = new Group();
  readonly image = new FieldImage();
  private readonly material = new MeshLambertMaterial();
  private boxes: InstancedMesh<BoxGeometry, MeshLambertMaterial>;
  private cells: Float32Array = new Float32Array();

  /** `domain` says how far cells reach along y in two dimensions. */
  constructor(
    private readonly origin: Vector3,
    private readonly domain: Box3,
    private readonly isFlat: boolean,
  ) {
    this.boxes = this.make(1);
    this.object.position.copy(origin);
    this.object.add(this.boxes);
    this.image.object.renderOrder = -2; // Under the particles' picture.
  }

  /** The number of cells that are drawn. */
  get count(): number {
    return this.boxes.count;
  }

  setFrame(array: DecodedArray | undefined): void {
    this.cells = array === undefined ? new Float32Array() : valuesOf(array);
    const count = this.cells.length / rowLength;
    if (this.boxes.instanceMatrix.count < count) {
      this.object.remove(this.boxes);
      this.boxes.dispose();
      this.boxes = this.make(2 * count);
      this.object.add(this.boxes);
    }
    const depth = this.domain.max.y - this.domain.min.y;
    const matrix = new Matrix4();
    for (let n = 0; n < count; ++n) {
      const [x = 0, y = 0, z = 0, edge = 0] = this.cells.subarray(n * rowLength, (n + 1) * rowLength);
      matrix.compose(new Vector3(x, y, z).sub(this.origin), new Quaternion(), new Vector3(edge, this.isFlat ? depth : edge, edge));
      this.boxes.setMatrixAt(n, matrix);
    }
    this.boxes.count = count;
    this.boxes.instanceMatrix.needsUpdate = true;
  }

  /** Draws the cells in a plane, whose pixels have an edge of `pixel` metres. */
  draw(plane: Plane, pixel: number): void {
    const [right, up] = axesOf(plane);
    const points: number[] = [];
    for (let at = 0; at < this.cells.length; at += rowLength) {
      const edge = this.cells[at + 3] ?? 0;
      const across = Math.max(1, Math.ceil((edge / pixel) * pointsPerPixel));
      for (let i = 0; i < across * across; ++i) {
        const point = [this.cells[at] ?? 0, this.cells[at + 1] ?? 0, this.cells[at + 2] ?? 0];
        point[right] = (point[right] ?? 0) + edge * (((i % across) + 0.5) / across - 0.5);
        point[up] = (point[up] ?? 0) + edge * ((Math.floor(i / across) + 0.5) / across - 0.5);
        points.push(...point);
      }
    }
    const positions: DecodedArray = {
      body: "", field: Field.POSITION, count: points.length / 3, components: 3, words: new Float32Array(points), origin: [0, 0, 0], step: [1, 1, 1],
    };
    this.image.setBins(binField(positions, undefined, {
      plane, lower: this.domain.min.toArray(), upper: this.domain.max.toArray(), cell: pixel, reach: 0,
    }));
  }

  apply(isShown: boolean, plane: Plane | undefined, colour: Color): void {
    this.material.color.copy(colour);
    this.object.visible = isShown && plane === undefined;
    this.image.object.visible = isShown && plane !== undefined;
    this.image.setColours("water", { least: -1, most: 1e30 }); // One colour, whatever sum a pixel has.
    if (plane !== undefined) placePicture(this.image.object, plane, this.domain);
  }

  dispose(): void {
    this.boxes.geometry.dispose();
    this.boxes.dispose();
    this.material.dispose();
    this.image.dispose();
  }

  private make(most: number): InstancedMesh<BoxGeometry, MeshLambertMaterial> {
    const boxes = new InstancedMesh(new BoxGeometry(1, 1, 1), this.material, most);
    boxes.count = 0;
    boxes.frustumCulled = false;
    boxes.layers.enable(solidLayer);
    return boxes;
  }
}
