// SPDX-License-Identifier: Apache-2.0
import { Plane, Vector3, type Raycaster } from "three";
import { gasOf } from "@viewer/session/session_facts";
import type { SessionModel } from "@viewer/session/session_model";
import { axesOf } from "@viewer/view/field_bins";
import { flatPlane, latticeOf } from "@viewer/view/lattice";
import type { Stage } from "@viewer/view/stage";
import type { Commander } from "./commander";
import { followRate } from "./follow_rate";
import { findGrip, type Grip } from "./grip";
import { Pace } from "./pace";
import type { SteerSettings } from "./steer_settings";
import { Stroke, type StrokePart } from "./stroke";
import { strokeCommand } from "./stroke_command";
import { depthUnder } from "./water_depth";

/** In m/s; far below what the API allows, and what a hand means. */
const fastestFollow = 5;
/** Pointer speeds below this share of the brush's radius in a frame push nothing. */
const stillShare = 0.02;

/**
 * The person's hand in the scene: turns pointer events on the canvas into commands. While it holds something, the camera
 * stands still.
 */
export class Hand {
  private grip: Grip | undefined;
  private pushing = false;
  private stroke: Stroke | undefined;
  private plane: Plane | undefined;
  private target = new Vector3();
  private moved = new Vector3();
  private pace = new Pace();
  private readonly stopListening: () => void;

  constructor(
    private readonly stage: Stage,
    private readonly model: SessionModel,
    private readonly commander: Commander,
    private readonly settings: () => SteerSettings,
  ) {
    const { canvas } = stage;
    type Kind = "pointerdown" | "pointermove" | "pointerup" | "pointercancel" | "pointerleave";
    const listen = (type: Kind, act: (event: PointerEvent) => void): (() => void) => {
      canvas.addEventListener(type, act);
      return () => canvas.removeEventListener(type, act);
    };
    const stops = [
      listen("pointerdown", (event) => this.down(event)),
      listen("pointermove", (event) => this.move(event)),
      listen("pointerup", () => this.release()),
      listen("pointercancel", () => this.release()),
      listen("pointerleave", () => !this.holds && this.stage.hand.hide()),
    ];
    this.stopListening = () => stops.forEach((stop) => stop());
  }

  get holds(): boolean {
    return this.grip !== undefined || this.pushing || this.stroke !== undefined;
  }

  /** To be called for each picture: repeats the command while a person holds on. */
  tick(): void {
    if (!this.holds) return;
    if (this.grip !== undefined) this.showGrip(this.grip);
    const newest = this.model.conductor.player.frameCount - 1;
    if (this.stroke !== undefined) {
      // While the hand rests, a dot a frame; while it moves, all of its way, though no frame comes.
      if (this.stroke.hasMore ? this.pace.isFree : this.pace.isDue(newest)) this.paint(this.stroke.take());
      return;
    }
    if (!this.pace.isDue(newest)) return;
    const frames = Pace.frameCount(this.model.session.value?.framesPerSecond ?? 0);
    if (this.grip !== undefined) void this.pace.during(frames, this.pull(this.grip, frames));
    else this.push(frames);
  }

  stop(): void {
    this.release();
    this.stopListening();
  }

  private down(event: PointerEvent): void {
    const { tool } = this.settings();
    if (tool === "orbit" || event.button !== 0) return;
    const ray = this.stage.rayAt(event.clientX, event.clientY);
    if (tool === "grab") {
      this.grip = findGrip(this.stage, ray, this.model.pins.value);
      if (this.grip === undefined) return;
      this.target = this.grip.where();
    } else {
      const at = this.brushAt(ray);
      if (at === undefined) return;
      this.target = at;
      if (tool === "paint") this.stroke = new Stroke(at, event.timeStamp / 1000);
      else this.pushing = true;
    }
    this.pace = new Pace();
    this.moved.set(0, 0, 0);
    this.plane = tool === "grab" ? this.facingPlane(this.target) : this.brushPlane(this.target);
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.model.command((player) => player.follow());
    this.tick();
  }

  private move(event: PointerEvent): void {
    const { tool } = this.settings();
    if (tool === "orbit") return;
    const ray = this.stage.rayAt(event.clientX, event.clientY);
    if (this.holds && this.plane !== undefined) {
      const next = ray.ray.intersectPlane(this.plane, new Vector3());
      if (next === null) return;
      this.moved.add(next).sub(this.target);
      this.target.copy(next);
      this.stroke?.moveTo(next, event.timeStamp / 1000);
    }
    if (tool !== "grab" && (this.holds || event.pointerType === "mouse")) this.showBrush(this.holds ? this.target : this.brushAt(ray));
  }

  private release(): void {
    const { grip } = this;
    // A grip that moves by velocity would go on.
    if (grip !== undefined && grip.kind !== "body") void this.commander.send(velocityCommand(grip, new Vector3()));
    if (this.stroke?.hasMore) this.paint(this.stroke.take());
    this.grip = undefined;
    this.pushing = false;
    this.stroke = undefined;
    this.stage.hand.hide();
    this.stage.redraw();
  }

  private pull(grip: Grip, frames: number): () => Promise<number | undefined> {
    const { grabRadius, grabStiffness } = this.settings();
    const from = grip.where();
    if (grip.kind !== "body") {
      const computed = this.model.session.value?.framesPerSecond ?? 0;
      const rate = followRate(computed, this.model.conductor.player.framesPerSecond);
      const velocity = this.target.clone().sub(from).multiplyScalar(rate).clampLength(0, fastestFollow);
      return () => this.commander.send(velocityCommand(grip, velocity));
    }
    return () => this.commander.send({
      case: "dragBody",
      value: {
        body: grip.body, from: from.toArray(), to: this.target.toArray(), radius: grabRadius, stiffness: grabStiffness,
        frameCount: BigInt(frames),
      },
    });
  }

  private push(frames: number): void {
    const { brushRadius, brushStrength } = this.settings();
    if (this.moved.length() < brushRadius * stillShare) return;
    const acceleration = this.moved.clone().setLength(brushStrength);
    this.moved.set(0, 0, 0);
    void this.pace.during(frames, () => this.commander.send({
      case: "pushFluid",
      value: { center: this.target.toArray(), radius: brushRadius, acceleration: acceleration.toArray(), frameCount: BigInt(frames) },
    }));
  }

  private paint(part: StrokePart): void {
    const gas = this.model.facts.value?.scene.gas;
    const command = gas && strokeCommand(part, gas, this.settings());
    if (command !== undefined) void this.pace.during(1, () => this.commander.send(command));
  }

  /** Where the brush would act; nowhere if it does not meet the plane of a flow in two dimensions. */
  private showBrush(centre: Vector3 | undefined): void {
    const { tool, brushRadius, paintRadius } = this.settings();
    const { hand, viewpoint } = this.stage;
    if (centre === undefined) hand.hide();
    else hand.showCircle(centre, tool === "paint" ? paintRadius : brushRadius, viewpoint.camera);
    this.stage.redraw();
  }

  private showGrip(grip: Grip): void {
    const { hand, viewpoint } = this.stage;
    const from = grip.where();
    if (grip.kind === "body") hand.showCircle(from, this.settings().grabRadius, viewpoint.camera);
    hand.showLine(from, this.target);
    this.stage.redraw();
  }

  /**
   * Under the pointer, as deep as the water there; else as deep as the middle of the domain. Nothing where the ray misses the plane of
   * a flow in two dimensions.
   */
  private brushAt(ray: Raycaster): Vector3 | undefined {
    const { stage } = this;
    const shown = this.model.conductor.shown;
    const depth = shown && depthUnder(shown, ray.ray, this.settings().brushRadius / 2);
    if (depth !== undefined) return ray.ray.at(depth, new Vector3());
    return ray.ray.intersectPlane(this.brushPlane(stage.domain.getCenter(new Vector3())), new Vector3()) ?? undefined;
  }

  /** The plane that a brush moves in: through the point, facing the camera, or the plane of a flow in two dimensions. */
  private brushPlane(point: Vector3): Plane {
    const layout = this.model.facts.value?.layout;
    const gas = layout && gasOf(layout);
    const lattice = gas && latticeOf(gas);
    const flat = lattice && flatPlane(lattice);
    if (lattice === undefined || flat === undefined) return this.facingPlane(point);
    const across = new Vector3().setComponent(axesOf(flat)[2], 1);
    return new Plane().setFromNormalAndCoplanarPoint(across, lattice.box.getCenter(new Vector3()));
  }

  private facingPlane(point: Vector3): Plane {
    return new Plane().setFromNormalAndCoplanarPoint(this.viewDirection(), point);
  }

  private viewDirection(): Vector3 {
    return this.stage.viewpoint.camera.getWorldDirection(new Vector3());
  }
}

function velocityCommand(grip: Grip, velocity: Vector3): Parameters<Commander["send"]>[0] {
  const v = velocity.toArray();
  return grip.kind === "pin"
    ? { case: "movePin", value: { body: grip.body, pin: grip.pin, velocity: v } }
    : { case: "moveObstacle", value: { body: grip.body, velocity: v } };
}
