// SPDX-License-Identifier: Apache-2.0
import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial, LineLoop, Points, PointsMaterial, Vector3, type Camera, type Color } from "three";

/** Points of constant size on the screen, over what they mark: pins, contacts. */
export class PointMarks {
  readonly object: Points<BufferGeometry, PointsMaterial>;

  constructor(pixels: number) {
    this.object = new Points(new BufferGeometry(), new PointsMaterial({ size: pixels, sizeAttenuation: false, depthTest: true }));
    this.object.frustumCulled = false;
    this.object.renderOrder = 2;
  }

  /** Marks these points: three numbers each. */
  set(points: readonly number[]): void {
    const { geometry } = this.object;
    const old = geometry.getAttribute("position") as BufferAttribute | undefined;
    if (old?.array.length === points.length) {
      old.array.set(points);
      old.needsUpdate = true;
      return;
    }
    geometry.dispose();
    this.object.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
  }

  setColour(colour: Color): void {
    this.object.material.color.copy(colour);
  }

  dispose(): void {
    this.object.geometry.dispose();
    this.object.material.dispose();
  }
}

const circlePoints = 64;

/** The marks that show a person's hand in the scene: a circle that faces the camera, and a line from there to the pointer. */
export class HandMark {
  readonly circle = new LineLoop(new BufferGeometry(), new LineBasicMaterial({ depthTest: false, transparent: true }));
  readonly line = new Line(new BufferGeometry(), new LineBasicMaterial({ depthTest: false, transparent: true }));

  constructor() {
    for (const object of [this.circle, this.line]) {
      object.visible = false;
      object.frustumCulled = false;
      object.renderOrder = 3;
    }
    const ring = Array.from({ length: circlePoints }, (_, i) => {
      const angle = (2 * Math.PI * i) / circlePoints;
      return new Vector3(Math.cos(angle), Math.sin(angle), 0);
    });
    this.circle.geometry.setFromPoints(ring);
    this.line.geometry.setAttribute("position", new BufferAttribute(new Float32Array(6), 3));
  }

  showCircle(centre: Vector3, radius: number, camera: Camera): void {
    this.circle.position.copy(centre);
    this.circle.quaternion.copy(camera.quaternion);
    this.circle.scale.setScalar(radius);
    this.circle.visible = true;
  }

  showLine(from: Vector3, to: Vector3): void {
    const ends = this.line.geometry.getAttribute("position");
    this.line.position.copy(from);
    ends.setXYZ(0, 0, 0, 0);
    ends.setXYZ(1, to.x - from.x, to.y - from.y, to.z - from.z);
    ends.needsUpdate = true;
    this.line.visible = true;
  }

  hide(): void {
    this.circle.visible = this.line.visible = false;
  }

  setColour(colour: Color): void {
    this.circle.material.color.copy(colour);
    this.line.material.color.copy(colour);
  }
}
