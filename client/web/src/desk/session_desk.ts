// SPDX-License-Identifier: Apache-2.0
import { effect, signal, untracked, type Signal } from "@preact/signals";
import { addressOf, type Place } from "@viewer/page/route";
import { isDark } from "@viewer/page/theme";
import type { Api } from "@viewer/api/clients";
import { idOf } from "@viewer/api/session_state";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import { Commander } from "@viewer/steer/commander";
import { Hand } from "@viewer/steer/hand";
import { steerDefaults, type SteerSettings } from "@viewer/steer/steer_settings";
import type { CameraState } from "@viewer/view/camera_state";
import type { Readout } from "@viewer/view/point_readout";
import type { Stage } from "@viewer/view/stage";
import type { ValueRange } from "@viewer/view/value_range";
import { colourFields, type ViewSettings } from "@viewer/view/view_settings";
import { Vector3 } from "three";
import { gasOf, storedFields } from "@viewer/session/session_facts";
import { SessionModel } from "@viewer/session/session_model";
import { loadSettings, saveSettings } from "./stored_settings";

/** How often the address follows the picture, in seconds: browsers refuse more than a few a second. */
const addressSeconds = 0.4;

/** A tab of the side panel. */
export type PanelTab = "view" | "statistics" | "steer" | "session";

/** Everything behind a session's page: the model, what is drawn of it, and the hand that acts on it. */
export class SessionDesk {
  readonly model: SessionModel;
  readonly commander: Commander;
  readonly settings: Signal<ViewSettings>;
  readonly steer = signal<SteerSettings>(steerDefaults(1));
  readonly range = signal<ValueRange>({ least: 0, most: 1 });
  readonly diagonal = signal(1);
  readonly tab = signal<PanelTab>("view");
  /** Scale of the 2D view, in pixels of the page; 0 before the first picture. */
  readonly pixelsPerMetre = signal(0);
  /** What lies under the pointer in the 2D view. */
  readonly readout = signal<Readout | undefined>(undefined);
  stage: Stage | undefined;
  private pointer: { readonly x: number; readonly y: number } | undefined;
  /** The camera of the stage before, when there is another stage. */
  private camera: CameraState | undefined;
  private address = "";
  private readonly stopChoosing: () => void;

  constructor(api: Api, name: string, place: Place) {
    this.camera = place.camera;
    this.settings = signal({ ...loadSettings(), view: place.plane ?? "3d" });
    this.model = new SessionModel(api, name, location.origin, place.frame, this.settings.value);
    this.commander = new Commander(api, name);
    this.stopChoosing = effect(() => this.chooseField());
  }

  change(part: Partial<ViewSettings>): void {
    const before = this.settings.value;
    const after = { ...before, ...part };
    this.settings.value = after;
    saveSettings(after);
    const { facts } = this.model;
    const hasCells = facts.value !== undefined && storedFields(facts.value.layout).includes(Field.CELL_LEVEL);
    if (
      before.colourBy !== after.colourBy || before.contacts !== after.contacts || before.exact !== after.exact ||
      (hasCells && before.edges !== after.edges)
    ) this.model.want(after);
  }

  /** The camera moved, or looks at another plane. */
  noteCamera(): void {
    const { stage } = this;
    this.pixelsPerMetre.value = stage?.viewpoint.pixelsPerMetre(stage.canvas.clientHeight) ?? 0;
  }

  changeSteer(part: Partial<SteerSettings>): void {
    this.steer.value = { ...this.steer.value, ...part };
  }

  /** Draws on `stage` until the answer is called. */
  drawOn(stage: Stage): () => void {
    this.stage = stage;
    const hand = new Hand(stage, this.model, this.commander, () => this.steer.value);
    const stops = [
      effect(() => {
        stage.apply(this.settings.value, isDark.value);
        this.range.value = stage.range;
        this.noteCamera();
      }),
      effect(() => this.setFacts(stage)),
      effect(() => stage.setPins(this.model.pins.value)),
      effect(() => stage.viewpoint.enableOrbit(this.steer.value.tool === "orbit")),
    ];
    const { canvas } = stage;
    const point = ({ type, clientX, clientY }: PointerEvent): void => {
      this.pointer = type === "pointerleave" ? undefined : { x: clientX, y: clientY };
      this.readOut(stage);
    };
    canvas.addEventListener("pointermove", point);
    canvas.addEventListener("pointerleave", point);
    const visibility = (): void => this.model.conductor.setVisible(!document.hidden);
    document.addEventListener("visibilitychange", visibility);
    let before = performance.now();
    let request = 0;
    const draw = (now: number): void => {
      request = requestAnimationFrame(draw);
      // Until the picture before is done a newer frame may come.
      const isFree = !stage.isBusy();
      if (isFree) {
        this.takeFrame(stage, Math.min((now - before) / 1000, 0.25));
        before = now;
      }
      hand.tick();
      if (isFree) stage.render();
    };
    request = requestAnimationFrame(draw);
    const writing = setInterval(() => this.writeAddress(stage), addressSeconds * 1000);
    return () => {
      cancelAnimationFrame(request);
      clearInterval(writing);
      document.removeEventListener("visibilitychange", visibility);
      canvas.removeEventListener("pointermove", point);
      canvas.removeEventListener("pointerleave", point);
      hand.stop();
      stops.forEach((stop) => stop());
      if (stage.bodies !== undefined) this.camera = stage.viewpoint.state;
      this.stage = undefined;
    };
  }

  stop(): void {
    this.stopChoosing();
    this.model.stop();
  }

  /** A gas is looked at for what it carries: smoke, or dye without. */
  private chooseField(): void {
    const layout = this.model.facts.value?.layout;
    if (layout === undefined || gasOf(layout) === undefined) return;
    const first = colourFields(storedFields(layout))[0];
    if (first !== undefined) untracked(() => this.change({ colourBy: first.field }));
  }

  private takeFrame(stage: Stage, seconds: number): void {
    const frame = stage.bodies === undefined ? undefined : this.model.tick(seconds);
    if (frame === undefined) return;
    stage.setFrame(frame);
    this.range.value = stage.range;
    this.readOut(stage);
  }

  private readOut(stage: Stage): void {
    this.readout.value = this.pointer && stage.readOut(this.pointer.x, this.pointer.y);
  }

  private setFacts(stage: Stage): void {
    const facts = this.model.facts.value;
    if (facts === undefined) return;
    stage.setLayout(facts.layout, facts.scene);
    stage.begin(this.camera);
    const { shown } = this.model.conductor;
    if (shown !== undefined) stage.setFrame(shown);
    this.diagonal.value = stage.domain.getSize(new Vector3()).length();
    this.steer.value = { ...steerDefaults(this.diagonal.value), tool: this.steer.peek().tool };
  }

  /** The address names what is in the picture, so that it can be handed on. A live picture names no frame. */
  private writeAddress(stage: Stage): void {
    if (this.model.facts.value === undefined) return;
    const { mode, shown } = this.model.playback.value;
    const { view } = this.settings.value;
    const address = addressOf(idOf(this.model.name), {
      ...(mode !== "live" && shown >= 0 && { frame: shown }),
      ...(view !== "3d" && { plane: view }),
      camera: stage.viewpoint.state,
    });
    if (address === this.address) return;
    this.address = address;
    history.replaceState(null, "", address);
  }
}
