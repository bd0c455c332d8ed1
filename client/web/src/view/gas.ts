// SPDX-License-Identifier: Apache-2.0
import { Group, Vector3 } from "three";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import { arrayOf, type DecodedArray, type DecodedFrame } from "@viewer/stream/decoded_frame";
import { CellImage } from "./cell_image";
import { meanAlong, sliceAt, type CellSlice } from "./cell_slice";
import { axesOf, type Plane } from "./field_bins";
import { flatPlane, type Lattice } from "./lattice";
import type { Palette } from "./palette";
import { placePicture } from "./picture_place";
import { dyePixels, mapPixels } from "./slice_colours";
import { followRange, rangeOf, type ValueRange } from "./value_range";
import { mapOf, type ViewSettings } from "./view_settings";
import { Volume } from "./volume";

/**
 * One body of cells. A flow in two dimensions is a picture on its plane; one in three is a volume in the 3D view, and the mean along
 * the view in 2D.
 */
export class Gas {
  readonly object = new Group();
  readonly volume: Volume | undefined;
  private readonly image = new CellImage();
  private readonly flat: Plane | undefined;
  private slice: CellSlice | undefined;
  private smokeRange: ValueRange | undefined;

  constructor(
    private readonly name: string,
    private readonly lattice: Lattice,
  ) {
    this.flat = flatPlane(lattice);
    this.object.add(this.image.object);
    if (this.flat === undefined) {
      this.volume = new Volume(lattice);
      this.object.add(this.volume.object);
    }
  }

  /** Draws what the frame has of the chosen field; what was drawn before stays where it has none of it yet. */
  setFrame(frame: DecodedFrame, settings: ViewSettings, range: ValueRange, colours: Palette): void {
    const chosen = arrayOf(frame, this.name, settings.colourBy);
    if (chosen === undefined) return;
    const plane = this.planeIn(settings);
    if (plane === undefined) this.drawVolume(frame, chosen, settings, range, colours);
    else this.drawSlice(chosen, plane, settings, range, colours);
    this.image.object.visible = plane !== undefined;
    if (this.volume !== undefined) this.volume.object.visible = plane === undefined;
  }

  /** What the 2D view shows at a point of its plane; nothing beside the cells. */
  valueAt(plane: Plane, point: Vector3): readonly number[] | undefined {
    if (this.slice === undefined || !this.object.visible) return undefined;
    const { box } = this.lattice;
    const share = point.clone().sub(box.min).divide(box.getSize(new Vector3()));
    const [right, up] = axesOf(plane);
    return sliceAt(this.slice, share.getComponent(right), share.getComponent(up));
  }

  dispose(): void {
    this.image.dispose();
    this.volume?.dispose();
  }

  private planeIn({ view }: ViewSettings): Plane | undefined {
    return view === "3d" ? this.flat : view;
  }

  private drawSlice(chosen: DecodedArray, plane: Plane, settings: ViewSettings, range: ValueRange, colours: Palette): void {
    const slice = meanAlong(chosen, this.lattice, plane);
    const isDye = chosen.field === Field.DYE;
    const pixels = isDye ? dyePixels(slice, colours.background) : mapPixels(slice, mapOf(settings), range);
    this.slice = slice;
    this.image.setPixels(slice.width, slice.height, pixels);
    this.image.setFlatView(settings.view !== "3d");
    placePicture(this.image.object, plane, this.lattice.box);
  }

  private drawVolume(frame: DecodedFrame, chosen: DecodedArray, settings: ViewSettings, range: ValueRange, colours: Palette): void {
    const smoke = arrayOf(frame, this.name, Field.SMOKE);
    const now = smoke && rangeOf(smoke);
    if (now !== undefined) this.smokeRange = followRange(this.smokeRange, now);
    this.volume?.setOpacity(settings.gasOpacity);
    this.volume?.setFields({
      smoke, smokeRange: chosen.field === Field.SMOKE ? range : (this.smokeRange ?? range), chosen, chosenRange: range,
      map: mapOf(settings), smokeColour: colours.smoke,
    });
  }
}
