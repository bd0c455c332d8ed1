// SPDX-License-Identifier: Apache-2.0
import { Group, Vector3, type Box3 } from "three";
import { BodyKind, Field, type Layout } from "@viewer/gen/sluice/v1/frames_pb";
import type { Scene } from "@viewer/gen/sluice/v1/scene_pb";
import { arrayOf, type DecodedFrame } from "@viewer/stream/decoded_frame";
import { localOrigin } from "./box3d";
import { axesOf, binField, type Plane } from "./field_bins";
import { FieldImage } from "./field_image";
import { Gas } from "./gas";
import { Interior } from "./interior";
import { latticeOf } from "./lattice";
import { interiorColour, palette, surfaceColour, type Palette } from "./palette";
import { ParticleCloud } from "./particles";
import { placePicture } from "./picture_place";
import { Surface } from "./surface";
import { followRange, rangeOf, type ValueRange } from "./value_range";
import { mapOf, type ViewSettings } from "./view_settings";

/** Part of the spacing that a sphere's radius is: neighbours overlap a little, so that water looks whole. */
const radiusPerSpacing = 0.58;
/** Edge of a pixel of the 2D picture, in spacings, and how far a particle reaches in it: together no holes in still water. */
const spacingsPerPixel = 0.6;
const reachPixels = 1.5;
/** A body with more particles than this is drawn pixel by pixel, so that a picture takes no more than about 50 ms. */
const mostSplatted = 300_000;

/** All bodies of a layout: particles as spheres, or as a field's picture in 2D; surfaces shaded; gases see Gas. */
export class Bodies {
  readonly object = new Group();
  readonly surfaces = new Map<string, Surface>();
  readonly clouds = new Map<string, ParticleCloud>();
  readonly gases = new Map<string, Gas>();
  readonly interiors = new Map<string, Interior>();
  private readonly images = new Map<string, FieldImage>();
  private readonly spacing: number;
  private automatic: ValueRange | undefined;
  private colours = palette(true);

  constructor(
    layout: Layout,
    scene: Scene | undefined,
    private readonly domain: Box3,
  ) {
    const origin = localOrigin(domain);
    const cell = scene?.fluidGrid?.cellSize ?? domain.getSize(new Vector3()).length() / 100;
    this.spacing = cell / (scene?.fluidGrid?.particlesPerAxis ?? 2);
    for (const body of layout.bodies) {
      if (body.kind === BodyKind.PARTICLES) {
        const cloud = new ParticleCloud(origin);
        const image = new FieldImage();
        this.clouds.set(body.name, cloud);
        this.images.set(body.name, image);
        this.object.add(cloud.object, image.object);
        if (!body.fields.includes(Field.INTERIOR_CELL)) continue;
        const interior = new Interior(origin, this.domain, scene?.fluidGrid?.dimensions === 2);
        this.interiors.set(body.name, interior);
        this.object.add(interior.object, interior.image.object);
      } else if (body.kind === BodyKind.SURFACE || body.kind === BodyKind.VOLUME) {
        const surface = new Surface(body.triangles, origin);
        this.surfaces.set(body.name, surface);
        this.object.add(surface.object);
      } else {
        const lattice = latticeOf(body);
        if (lattice === undefined) continue;
        const gas = new Gas(body.name, lattice);
        this.gases.set(body.name, gas);
        this.object.add(gas.object);
      }
    }
  }

  /** The range that colours stand for now. */
  range(settings: ViewSettings): ValueRange {
    return settings.fixedRange ?? this.automatic ?? { least: 0, most: 1 };
  }

  /** Forgets the automatic range, as when another field is shown. */
  resetRange(): void {
    this.automatic = undefined;
  }

  setFrame(frame: DecodedFrame, settings: ViewSettings): void {
    for (const [name, surface] of this.surfaces) {
      const positions = arrayOf(frame, name, Field.POSITION);
      if (positions !== undefined) surface.setFrame(positions);
    }
    for (const [name, interior] of this.interiors) interior.setFrame(arrayOf(frame, name, Field.INTERIOR_CELL));
    const coloured = [
      ...[...this.clouds.keys()].map((name) => arrayOf(frame, name, settings.colourBy)),
      ...[...this.gases.values()].map((gas) => gas.setFrame(frame, settings)),
    ];
    for (const values of coloured) {
      const now = values && rangeOf(values);
      if (now !== undefined) this.automatic = followRange(this.automatic, now, settings.colourBy);
    }
    this.drawParticles(frame, settings);
    for (const gas of this.gases.values()) gas.draw(settings, this.range(settings), this.colours);
  }

  /** A gas takes its colours with the next frame. */
  apply(settings: ViewSettings, colours: Palette): void {
    this.colours = colours;
    const { view } = settings;
    const flat = view !== "3d";
    const shown = (name: string): boolean => !settings.hiddenBodies.includes(name);
    const range = this.range(settings);
    for (const [name, cloud] of this.clouds) {
      cloud.object.visible = shown(name) && !flat;
      cloud.setColours(mapOf(settings), range);
      cloud.setRadius(this.spacing * radiusPerSpacing * settings.particleScale);
    }
    for (const [name, image] of this.images) {
      image.object.visible = shown(name) && flat;
      image.setColours(mapOf(settings), range);
      if (flat) placePicture(image.object, view, this.domain);
    }
    for (const [name, interior] of this.interiors) interior.apply(shown(name), view === "3d" ? undefined : view, interiorColour);
    for (const [name, gas] of this.gases) gas.object.visible = shown(name);
    [...this.surfaces].forEach(([name, surface], i) => {
      surface.object.visible = shown(name);
      surface.setColours(surfaceColour(i), colours.surfaceEdges);
      surface.setTranslucent(flat);
      surface.showEdges(settings.edges);
    });
  }

  /** What the picture of a plane shows at a point of it, of the body that lies on top; nothing where there is none. */
  valueAt(plane: Plane, point: Vector3): readonly number[] | undefined {
    const [right, up] = axesOf(plane);
    const size = this.domain.getSize(new Vector3());
    const share = (axis: number): number => (point.getComponent(axis) - this.domain.min.getComponent(axis)) / size.getComponent(axis);
    const values = [...this.images.values()].filter(({ object }) => object.visible).map((image) => image.valueAt(share(right), share(up)));
    const ofGases = [...this.gases.values()].map((gas) => gas.valueAt(plane, point));
    return [...ofGases, ...values.map((value) => (value === undefined ? undefined : [value]))].reverse().find((value) => value !== undefined);
  }

  dispose(): void {
    for (const body of [...this.clouds.values(), ...this.interiors.values(), ...this.images.values(), ...this.gases.values(), ...this.surfaces.values()]) body.dispose();
  }

  private drawParticles(frame: DecodedFrame, settings: ViewSettings): void {
    const range = this.range(settings);
    for (const [name, cloud] of this.clouds) {
      const positions = arrayOf(frame, name, Field.POSITION);
      if (positions === undefined) continue;
      const values = arrayOf(frame, name, settings.colourBy);
      if (settings.view === "3d") {
        cloud.setFrame(positions, values);
        cloud.setColours(mapOf(settings), range);
        continue;
      }
      const image = this.images.get(name);
      this.interiors.get(name)?.draw(settings.view, this.spacing);
      const splat = positions.count <= mostSplatted;
      image?.setBins(binField(positions, values, {
        plane: settings.view, lower: this.domain.min.toArray(), upper: this.domain.max.toArray(),
        cell: this.spacing * (splat ? spacingsPerPixel : 1), reach: splat ? reachPixels : 0,
      }));
      image?.setColours(mapOf(settings), range);
    }
  }
}
