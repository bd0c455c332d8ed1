// SPDX-License-Identifier: Apache-2.0
import {
  BoxGeometry, BufferGeometry, CapsuleGeometry, CylinderGeometry, Euler, MathUtils, Matrix4, PlaneGeometry, Quaternion, SphereGeometry,
  Vector3,
} from "three";
import type { Shape, Transform } from "@viewer/gen/sluice/v1/scene_pb";
import { triple } from "./quantised_attribute";

/** Edge of the square that stands for a half-space, in metres, where the domain gives none. */
const endless = 100;

/** Places a body: about the fixed axes x, then y, then z, then moved. */
export function worldFromBody(transform: Transform | undefined): Matrix4 {
  const degrees = triple(transform?.rotationDegrees ?? [], 0);
  const [x, y, z] = degrees.map((angle) => MathUtils.degToRad(angle)) as [number, number, number];
  // Fixed axes x, y, z are the moving axes z, y, x: Rz Ry Rx.
  const turn = new Quaternion().setFromEuler(new Euler(x, y, z, "ZYX"));
  const scale = transform?.scale ?? 1;
  return new Matrix4().compose(new Vector3(...triple(transform?.translation ?? [], 0)), turn, new Vector3(scale, scale, scale));
}

/** The triangles of a shape in its own frame. `extent` is how far a half-space is drawn, in metres. */
export function shapeGeometry(shape: Shape, extent = endless): BufferGeometry | undefined {
  const { form } = shape;
  switch (form.case) {
    case "box":
      return new BoxGeometry(...triple(form.value.size, 1));
    case "sphere":
      return new SphereGeometry(form.value.radius ?? 1, 48, 32);
    case "capsule":
      return new CapsuleGeometry(form.value.radius ?? 1, form.value.length ?? 1, 16, 40).rotateX(Math.PI / 2);
    case "cylinder":
      return new CylinderGeometry(form.value.radius ?? 1, form.value.radius ?? 1, form.value.length ?? 1, 48).rotateX(Math.PI / 2);
    case "halfSpace":
      return new PlaneGeometry(2 * extent, 2 * extent);
    default:
      return undefined;
  }
}

/** Whether a point of the world is in a shape or on it. */
export function isInside(shape: Shape, point: Vector3): boolean {
  const p = point.clone().applyMatrix4(worldFromBody(shape.transform).invert());
  const { form } = shape;
  switch (form.case) {
    case "box": {
      const [x, y, z] = triple(form.value.size, 0);
      return Math.abs(p.x) <= x / 2 && Math.abs(p.y) <= y / 2 && Math.abs(p.z) <= z / 2;
    }
    case "sphere":
      return p.length() <= (form.value.radius ?? 0);
    case "capsule": {
      const half = (form.value.length ?? 0) / 2;
      return Math.hypot(p.x, p.y, p.z - Math.min(Math.max(p.z, -half), half)) <= (form.value.radius ?? 0);
    }
    case "cylinder":
      return Math.hypot(p.x, p.y) <= (form.value.radius ?? 0) && Math.abs(p.z) <= (form.value.length ?? 0) / 2;
    case "halfSpace":
      return p.z <= 0;
    default:
      return false;
  }
}
