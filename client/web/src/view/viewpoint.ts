// SPDX-License-Identifier: Apache-2.0
import { Box3, MOUSE, OrthographicCamera, PerspectiveCamera, TOUCH, Vector3, type Camera } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Scene } from "@viewer/gen/sluice/v1/scene_pb";
import type { CameraState } from "./camera_state";
import { axesOf, type Plane } from "./field_bins";

/** Space left around what is fitted. */
const margin = 1.12;

/** The factor by which OrbitControls multiply a distance for a hundredth of a wheel's delta. */
const zoomBase = 0.95;

/** The two cameras and how the pointer moves them: orbit, pan and zoom in 3D; pan and zoom before a plane in 2D. */
export class Viewpoint {
  private readonly perspective = new PerspectiveCamera(40, 1, 0.01, 1000);
  private readonly flat = new OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  private readonly controls3d: OrbitControls;
  private readonly controls2d: OrbitControls;
  private plane: Plane | undefined;
  private height = 1;
  private flatHalfHeight = 1;
  /** Where the camera was when it was last asked whether it has moved. */
  private readonly seen = { position: new Vector3(), direction: new Vector3(), zoom: 0 };

  constructor(canvas: HTMLCanvasElement, changed: () => void) {
    this.perspective.up.set(0, 0, 1);
    this.controls3d = new OrbitControls(this.perspective, canvas);
    this.controls2d = new OrbitControls(this.flat, canvas);
    this.controls2d.enabled = false;
    this.controls2d.enableRotate = false;
    this.controls2d.mouseButtons = { LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN };
    this.controls2d.touches = { ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN };
    for (const controls of [this.controls3d, this.controls2d]) {
      controls.zoomToCursor = true;
      controls.addEventListener("change", changed);
    }
  }

  get camera(): Camera {
    return this.plane === undefined ? this.perspective : this.flat;
  }

  /**
   * Whether the camera stands or looks elsewhere than at the last time. The controls themselves tell only of ways of more than
   * a millimetre, which is nothing in one scene and all of another.
   */
  hasMoved(): boolean {
    const { seen } = this;
    const { position, zoom } = this.plane === undefined ? this.perspective : this.flat;
    const direction = this.camera.getWorldDirection(new Vector3());
    if (seen.position.equals(position) && seen.direction.equals(direction) && seen.zoom === zoom) return false;
    seen.position.copy(position);
    seen.direction.copy(direction);
    seen.zoom = zoom;
    return true;
  }

  /**
   * Sets what is too near and too far to be seen by the view as it is now: whoever looks at an insect in a hall has come to within
   * centimetres of it. Nearer than a hundredth of the way to what is looked at, or a twentieth of that to the domain, is nothing.
   */
  clip(box: Box3): void {
    const { perspective } = this;
    const eye = perspective.position;
    const size = box.getSize(new Vector3()).length();
    const far = box.getCenter(new Vector3()).distanceTo(eye) + size;
    const near = Math.max(eye.distanceTo(this.controls3d.target) / 100, box.distanceToPoint(eye) / 20);
    if (perspective.near === near && perspective.far === far) return;
    perspective.near = near;
    perspective.far = far;
    perspective.updateProjectionMatrix();
  }

  get orthographic(): boolean {
    return this.plane !== undefined;
  }

  /** Pixels of a picture `height` high that a metre is long: at distance 1, or everywhere in 2D. */
  pixelsPerMetre(height: number): number {
    if (this.plane !== undefined) return (height * this.flat.zoom) / (2 * this.flatHalfHeight);
    return height / (2 * Math.tan((this.perspective.fov * Math.PI) / 360));
  }

  setPlane(plane: Plane | undefined, box: Box3): void {
    this.plane = plane;
    this.enableOrbit(true);
    if (plane !== undefined) this.fitPlane(plane, box);
  }

  /** Whether the pointer moves the camera; else it is a tool's. The wheel zooms in either case. */
  enableOrbit(enabled: boolean): void {
    const controls = this.plane === undefined ? this.controls3d : this.controls2d;
    this.controls3d.enabled = this.controls2d.enabled = false;
    controls.enabled = true;
    controls.enableRotate = enabled && this.plane === undefined;
    controls.enablePan = enabled;
  }

  resize(width: number, height: number): void {
    this.height = height;
    this.perspective.aspect = width / height;
    this.perspective.updateProjectionMatrix();
    this.flat.left = -this.flatHalfHeight * this.perspective.aspect;
    this.flat.right = -this.flat.left;
    this.flat.top = this.flatHalfHeight;
    this.flat.bottom = -this.flatHalfHeight;
    this.flat.updateProjectionMatrix();
  }

  /** Shows the box whole. */
  fit(box: Box3, scene: Scene | undefined): void {
    if (this.plane === undefined) this.fitSpace(box, scene);
    else this.fitPlane(this.plane, box);
  }

  /** Places both cameras for a scene that was not seen before. */
  begin(box: Box3, scene: Scene | undefined): void {
    this.fitSpace(box, scene);
    if (this.plane !== undefined) this.fitPlane(this.plane, box);
  }

  /** How far from `centre`, towards `back`, all corners of the box are in the picture. */
  private distanceToFit(box: Box3, centre: Vector3, back: Vector3): number {
    const right = new Vector3().crossVectors(this.perspective.up, back).normalize();
    const up = new Vector3().crossVectors(back, right);
    const half = Math.tan((this.perspective.fov * Math.PI) / 360) / margin;
    let distance = 0;
    for (let corner = 0; corner < 8; ++corner) {
      const pick = (bit: number, axis: 0 | 1 | 2): number => (corner & bit ? box.max : box.min).getComponent(axis);
      const offset = new Vector3(pick(1, 0), pick(2, 1), pick(4, 2)).sub(centre);
      const aside = Math.max(Math.abs(offset.dot(up)), Math.abs(offset.dot(right)) / this.perspective.aspect);
      distance = Math.max(distance, offset.dot(back) + aside / half);
    }
    return distance;
  }

  get state(): CameraState {
    return { eye: this.perspective.position.toArray(), target: this.controls3d.target.toArray() };
  }

  setState({ eye, target }: CameraState): void {
    this.place(new Vector3(...eye), new Vector3(...target));
  }

  /** Comes nearer to a point of space, or goes away from it, as the controls do by a wheel that turns by `delta`; it stays where it is seen. */
  zoomTo(point: Vector3, delta: number): void {
    const eye = this.perspective.position;
    const scale = Math.pow(zoomBase, -delta / 100);
    const forward = this.perspective.getWorldDirection(new Vector3());
    eye.lerp(point, 1 - scale);
    // The target is put as far away as the point, so that to turn is to turn about the point.
    const depth = point.clone().sub(eye).dot(forward);
    this.controls3d.target.copy(eye).addScaledVector(forward, Math.max(depth, Number.MIN_VALUE));
    this.controls3d.update();
  }

  dispose(): void {
    this.controls3d.dispose();
    this.controls2d.dispose();
  }

  /** From the scene's own camera, or a corner from which the box is seen whole; a flow in two dimensions from its front. */
  private fitSpace(box: Box3, scene: Scene | undefined): void {
    const camera = scene?.camera;
    if (camera?.eye.length === 3 && camera.target.length === 3) {
      this.perspective.fov = camera.verticalFieldOfViewDegrees ?? 40;
      const target = new Vector3().fromArray(camera.target);
      const back = new Vector3().fromArray(camera.eye).sub(target);
      // A picture narrower than a film's has less to the sides than the scene's author saw: from further off it has as much,
      // or all there is.
      const asMuch = back.length() * Math.max(1, 16 / 9 / this.perspective.aspect);
      const distance = Math.max(back.length(), Math.min(asMuch, this.distanceToFit(box, target, back.clone().normalize())));
      this.place(back.setLength(distance).add(target), target);
      return;
    }
    const centre = box.getCenter(new Vector3());
    const back = scene?.fluidGrid?.dimensions === 2 ? new Vector3(0, -1, 0) : new Vector3(0.45, -0.8, 0.4).normalize();
    this.place(back.multiplyScalar(this.distanceToFit(box, centre, back)).add(centre), centre);
  }

  private place(eye: Vector3, target: Vector3): void {
    this.perspective.position.copy(eye);
    this.controls3d.target.copy(target);
    this.perspective.updateProjectionMatrix();
    this.controls3d.update();
  }

  private fitPlane(plane: Plane, box: Box3): void {
    const [right, up, along] = axesOf(plane);
    const centre = box.getCenter(new Vector3());
    const size = box.getSize(new Vector3());
    const aspect = this.perspective.aspect;
    this.flatHalfHeight = (margin / 2) * Math.max(size.getComponent(up), size.getComponent(right) / aspect);
    this.flat.zoom = 1;
    this.flat.near = -size.length();
    this.flat.far = 3 * size.length();
    this.flat.up.set(0, 0, 0).setComponent(up, 1);
    // The plane's axes and the view form a right-handed frame: x-z is looked at from -y.
    const side = plane === "xz" ? -1 : 1;
    this.flat.position.copy(centre).setComponent(along, centre.getComponent(along) + side * size.length());
    this.controls2d.target.copy(centre);
    this.resize(aspect * this.height, this.height);
    this.controls2d.update();
  }
}
