// SPDX-License-Identifier: Apache-2.0
import { Vector3, type Box3, type Object3D } from "three";
import { axesOf, type Plane } from "./field_bins";

/** Puts a picture of one metre by one on the plane through the middle of the box, as large as the box. */
export function placePicture(picture: Object3D, plane: Plane, box: Box3): void {
  const [right, up] = axesOf(plane);
  const size = box.getSize(new Vector3());
  const axis = (index: number): Vector3 => new Vector3().setComponent(index, 1);
  const outwards = axis(right).cross(axis(up));
  picture.matrixAutoUpdate = false;
  picture.matrix
    .makeBasis(axis(right).multiplyScalar(size.getComponent(right)), axis(up).multiplyScalar(size.getComponent(up)), outwards)
    .setPosition(box.getCenter(new Vector3()));
}
