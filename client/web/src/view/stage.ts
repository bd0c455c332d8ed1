// SPDX-License-Identifier: Apache-2.0
import { DirectionalLight, HemisphereLight, Raycaster, Scene as World, Vector2, Vector3, WebGLRenderer, type Box3 } from "three";
import { Field, type Layout } from "@viewer/gen/sluice/v1/frames_pb";
import type { Scene } from "@viewer/gen/sluice/v1/scene_pb";
import { arrayOf, valuesOf, type DecodedFrame } from "@viewer/stream/decoded_frame";
import { Backdrop } from "./backdrop";
import { Bodies } from "./bodies";
import { domainOf, localOrigin } from "./box3d";
import { axesOf } from "./field_bins";
import { GpuQueue, openContext } from "./gpu";
import { HandMark, PointMarks } from "./marks";
import type { CameraState } from "./camera_state";
import { palette } from "./palette";
import type { PinVertices } from "./pins";
import type { Readout } from "./point_readout";
import type { ValueRange } from "./value_range";
import { Sharpness } from "./sharpness";
import { SolidDepth } from "./solid_depth";
import { boundsOf, speckNear } from "./specks";
import { Viewpoint } from "./viewpoint";
import { defaultSettings, type ViewSettings } from "./view_settings";

/** Drawing buffers denser than this cost more than they show. */
const mostPixelRatio = 2;

/** Draws a session's frames into a canvas, when something has changed. */
export class Stage {
  readonly viewpoint: Viewpoint;
  readonly hand = new HandMark();
  bodies: Bodies | undefined;
  backdrop: Backdrop | undefined;
  domain: Box3 = domainOf(undefined, undefined);
  private readonly renderer: WebGLRenderer;
  private readonly gpu: GpuQueue;
  private readonly world = new World();
  private readonly sharpness: Sharpness;
  private readonly solidDepth = new SolidDepth();
  private readonly sky = new HemisphereLight(0xffffff, 0x8a97a6, 1.2);
  private readonly sun = new DirectionalLight(0xffffff, 1.75);
  private readonly pinMarks = new PointMarks(3);
  private readonly contactMarks = new PointMarks(4);
  private pins: ReadonlyMap<string, readonly PinVertices[]> = new Map();
  private scene: Scene | undefined;
  private frame: DecodedFrame | undefined;
  private settings: ViewSettings = defaultSettings;
  private dark = true;
  private dirty = true;

  private isLost = false;
  private readonly stopListening: () => void;

  /**
   * Throws where the browser has no WebGL 2. `lost` hears when the system takes the graphics away (a driver that starts again, a
   * machine that slept, more pictures than the browser keeps), and when it gives them back: then all is drawn again.
   */
  constructor(
    readonly canvas: HTMLCanvasElement,
    private readonly moved: () => void,
    lost: (isLost: boolean) => void = () => undefined,
  ) {
    const { context, inSoftware } = openContext(canvas);
    this.renderer = new WebGLRenderer({ canvas, context });
    this.gpu = new GpuQueue(context);
    this.sharpness = new Sharpness(inSoftware);
    this.viewpoint = new Viewpoint(canvas, () => {
      this.dirty = true;
      this.moved();
    });
    // After the renderer's own listeners, which forget what the old context had.
    const hear = ({ type }: Event): void => {
      this.isLost = type === "webglcontextlost";
      this.gpu.forget();
      this.dirty = true;
      lost(this.isLost);
    };
    const wheel = (event: WheelEvent): void => this.turnWheel(event);
    canvas.addEventListener("wheel", wheel, { capture: true, passive: false });
    canvas.addEventListener("webglcontextlost", hear);
    canvas.addEventListener("webglcontextrestored", hear);
    this.stopListening = () => {
      canvas.removeEventListener("wheel", wheel, { capture: true });
      canvas.removeEventListener("webglcontextlost", hear);
      canvas.removeEventListener("webglcontextrestored", hear);
    };
    this.world.add(this.sky, this.sun, this.sun.target, this.pinMarks.object, this.contactMarks.object, this.hand.circle, this.hand.line);
  }

  /** Builds the bodies. The camera stays where a person put it: `fit` moves it. */
  setLayout(layout: Layout, scene: Scene | undefined): void {
    this.clear();
    this.scene = scene;
    this.domain = domainOf(layout, scene);
    this.bodies = new Bodies(layout, scene, this.domain);
    this.backdrop = new Backdrop(this.domain, scene);
    this.world.add(this.bodies.object, this.backdrop.object);
    for (const marks of [this.pinMarks, this.contactMarks]) marks.object.position.copy(localOrigin(this.domain));
    this.apply(this.settings, this.dark);
  }

  setPins(pins: ReadonlyMap<string, readonly PinVertices[]>): void {
    this.pins = pins;
    this.drawMarks();
  }

  setFrame(frame: DecodedFrame): void {
    this.frame = frame;
    this.bodies?.setFrame(frame, this.settings);
    this.backdrop?.setOffsets(frame.obstacleOffsets);
    this.drawMarks();
    this.dirty = true;
  }

  apply(settings: ViewSettings, dark: boolean): void {
    const before = this.settings;
    this.settings = settings;
    this.dark = dark;
    const colours = palette(dark);
    this.world.background = colours.background;
    this.backdrop?.setPalette(colours);
    this.backdrop?.showDomain(settings.domain);
    this.backdrop?.showObstacles(settings.obstacles);
    this.pinMarks.setColour(colours.pin);
    this.contactMarks.setColour(colours.mark);
    this.hand.setColour(colours.mark);
    if (before.colourBy !== settings.colourBy || before.view !== settings.view) this.bodies?.resetRange();
    if (before.view !== settings.view) this.viewpoint.setPlane(settings.view === "3d" ? undefined : settings.view, this.domain);
    this.bodies?.apply(settings, colours);
    if (this.frame !== undefined) this.setFrame(this.frame);
    this.dirty = true;
  }

  /** The values that the colours of the legend stand for. */
  get range(): ValueRange {
    return this.bodies?.range(this.settings) ?? { least: 0, most: 1 };
  }

  fit(): void {
    this.viewpoint.fit(this.domain, this.scene);
    this.redraw();
  }

  /** Places the cameras for a scene that was not seen before; the 3D one where `camera` says, if it does. */
  begin(camera: CameraState | undefined): void {
    this.viewpoint.resize(this.canvas.clientWidth, this.canvas.clientHeight);
    this.viewpoint.begin(this.domain, this.scene);
    if (camera !== undefined) this.viewpoint.setState(camera);
    this.redraw();
  }

  redraw(): void {
    this.dirty = true;
  }

  /** Whether the last picture is still being drawn: another would wait behind it, and the page with it. */
  isBusy(): boolean {
    return this.gpu.isBusy();
  }

  /** A ray through a point of the canvas, in pixels of the page. */
  rayAt(x: number, y: number): Raycaster {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2(((x - left) / width) * 2 - 1, 1 - ((y - top) / height) * 2), this.viewpoint.camera);
    return caster;
  }

  /** What the 2D view shows at a point of the canvas, in pixels of the page; nothing in 3D. */
  readOut(x: number, y: number): Readout | undefined {
    const { view } = this.settings;
    if (view === "3d" || this.bodies === undefined) return undefined;
    const { origin } = this.rayAt(x, y).ray;
    const [right, up] = axesOf(view);
    return { right: origin.getComponent(right), up: origin.getComponent(up), values: this.bodies.valueAt(view, origin) };
  }

  /** Draws if anything changed since the last time; `now` is in milliseconds, as of performance.now(). */
  render(now = performance.now()): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0 || this.bodies === undefined || this.isLost) return;
    if (this.viewpoint.hasMoved()) {
      this.dirty = true;
      this.moved();
    }
    if (!this.sharpness.shallDraw(now, this.dirty || this.isResized())) return;
    const ratio = Math.min(globalThis.devicePixelRatio, mostPixelRatio) * this.sharpness.share;
    const size = this.renderer.getSize(new Vector2());
    if (size.x !== width || size.y !== height || this.renderer.getPixelRatio() !== ratio) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height, false);
      this.viewpoint.resize(width, height);
    }
    this.dirty = false;
    this.sharpness.drew(now);
    this.viewpoint.clip(this.domain);
    const { camera } = this.viewpoint;
    // The light comes over the viewer's left shoulder, wherever they stand.
    const light = new Vector3(-0.35, 0.6, 0.72).normalize();
    this.sun.position.copy(light).applyQuaternion(camera.quaternion);
    this.sky.position.set(0, 0, 1);
    const scale = this.viewpoint.pixelsPerMetre(height * ratio);
    const { orthographic } = this.viewpoint;
    const distance = orthographic ? 1 : camera.position.distanceTo(this.domain.getCenter(new Vector3()));
    const clouds = [...this.bodies.clouds.values()].filter((cloud) => cloud.object.visible);
    const volumes = [...this.bodies.gases.values()].flatMap(({ object, volume }) => (object.visible && volume?.object.visible ? [volume] : []));
    if (clouds.length + volumes.length > 0) {
      const { width: w, height: h } = this.renderer.getDrawingBufferSize(new Vector2());
      const depth = this.solidDepth.draw(this.renderer, this.world, camera, w, h);
      for (const cloud of clouds) {
        cloud.setThinning(this.sharpness.thinning);
        cloud.setSolidDepth(depth);
        cloud.setScale(scale, distance, orthographic, light);
      }
      for (const volume of volumes) {
        volume.setSteps(1 / this.sharpness.thinning);
        volume.setSolidDepth(depth);
        volume.setEye(camera.position);
      }
    }
    this.renderer.render(this.world, camera);
    this.gpu.mark();
  }

  dispose(): void {
    this.stopListening();
    this.clear();
    this.pinMarks.dispose();
    this.contactMarks.dispose();
    this.solidDepth.dispose();
    this.viewpoint.dispose();
    this.renderer.dispose();
  }

  /** Where the pointer means a speck, the wheel goes there; else the controls go to the pointer. */
  private turnWheel(event: WheelEvent): void {
    if (this.viewpoint.orthographic || event.ctrlKey) return;
    const { ray } = this.rayAt(event.clientX, event.clientY);
    const { clientHeight } = this.canvas;
    const speck = speckNear(boundsOf(this.bodies, this.backdrop), ray.origin, ray.direction, this.viewpoint.pixelsPerMetre(clientHeight));
    if (speck === undefined) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    // Firefox counts lines or pages; a line is 16 pixels and a page 100 to the controls.
    this.viewpoint.zoomTo(speck, event.deltaY * ([1, 16, 100][event.deltaMode] ?? 1));
  }

  private isResized(): boolean {
    const size = this.renderer.getSize(new Vector2());
    return size.x !== this.canvas.clientWidth || size.y !== this.canvas.clientHeight;
  }

  private clear(): void {
    for (const part of [this.bodies, this.backdrop]) {
      if (part === undefined) continue;
      this.world.remove(part.object);
      part.dispose();
    }
  }

  private drawMarks(): void {
    const pinned: number[] = [];
    const touching: number[] = [];
    for (const [name, surface] of this.bodies?.surfaces ?? []) {
      const positions = surface.positions;
      const visible = !this.settings.hiddenBodies.includes(name);
      if (this.settings.pins && visible) {
        for (const pin of this.pins.get(name) ?? []) for (const v of pin.vertices) pinned.push(...positions.subarray(v * 3, v * 3 + 3));
      }
      const force = this.frame && arrayOf(this.frame, name, Field.CONTACT_FORCE);
      if (!this.settings.contacts || !visible || force === undefined) continue;
      valuesOf(force).forEach((newtons, v) => {
        if (newtons > 0) touching.push(...positions.subarray(v * 3, v * 3 + 3));
      });
    }
    this.pinMarks.set(pinned);
    this.contactMarks.set(touching);
    this.dirty = true;
  }
}
