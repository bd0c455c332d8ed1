// SPDX-License-Identifier: Apache-2.0
import { Group, Vector3 } from "three";
import { Field } from "@viewer/gen/sluice/v1/frames_pb";
import { arrayOf, type DecodedArray, type DecodedFrame } from "@viewer/stream/decoded_frame";
import { CellEdges, edgesOfCells } from "./cell_edges";
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
 * the view in 2D. Where cells have many sizes, their edges in a plane through the middle can be seen.
 */
export class Gas {
  readonly object = new Group();
  readonly volume: Volume | undefined;
  private readonly image = new CellImage();
  private readonly edges = new CellEdges();
  private readonly flat: Plane | undefined;
  private chosen: DecodedArray | undefined;
  private smoke: DecodedArray | undefined;
  /** Where a picture is shown, not a volume. */
  private slice: CellSlice | undefined;
  private levels: DecodedArray | undefined;
  private smokeRange: ValueRange | undefined;

  constructor(
    private readonly name: string,
    private readonly lattice: Lattice,
  ) {
    this.flat = flatPlane(lattice);
    this.object.add(this.image.object, this.edges.object);
    if (this.flat === undefined) {
      this.volume = new Volume(lattice);
      this.object.add(this.volume.object);
    }
  }

  /**
   * Takes what the frame has of the chosen field, and answers with the numbers that colours are to stand for: none for dye, which
   * is its own colour. Numbers taken before stay where the frame has none yet.
   */
  setFrame(frame: DecodedFrame, settings: ViewSettings): DecodedArray | undefined {
    const chosen = arrayOf(frame, this.name, settings.colourBy);
    if (chosen === undefined) return undefined;
    const plane = settings.view === "3d" ? this.flat : settings.view;
    this.chosen = chosen;
    this.smoke = arrayOf(frame, this.name, Field.SMOKE);
    this.levels = settings.edges ? arrayOf(frame, this.name, Field.CELL_LEVEL) : undefined;
    this.slice = plane && meanAlong(chosen, this.lattice, plane);
    if (plane !== undefined) placePicture(this.image.object, plane, this.lattice.box);
    return chosen.field === Field.DYE ? undefined : (this.slice?.means ?? chosen);
  }

  /** Draws what was taken, once it is of the chosen field. */
  draw(settings: ViewSettings, range: ValueRange, colours: Palette): void {
    const { slice, chosen } = this;
    if (chosen?.field !== settings.colourBy) return;
    this.image.object.visible = slice !== undefined;
    if (this.volume !== undefined) this.volume.object.visible = slice === undefined;
    if (slice !== undefined) this.drawSlice(slice, settings, range, colours);
    else this.drawVolume(chosen, settings, range, colours);
    this.drawEdges(settings, colours);
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
    this.edges.dispose();
    this.volume?.dispose();
  }

  private drawSlice(slice: CellSlice, settings: ViewSettings, range: ValueRange, colours: Palette): void {
    const isDye = slice.means.field === Field.DYE;
    const pixels = isDye ? dyePixels(slice, colours.background) : mapPixels(slice, mapOf(settings), range);
    this.image.setPixels(slice.width, slice.height, pixels);
    this.image.setFlatView(settings.view !== "3d");
  }

  private drawEdges({ view }: ViewSettings, colours: Palette): void {
    const { levels } = this;
    const { object } = this.edges;
    object.visible = levels !== undefined;
    if (levels === undefined) return;
    const plane = view === "3d" ? (this.flat ?? "xz") : view;
    this.edges.show(edgesOfCells(levels, this.lattice, plane), colours.frame);
    placePicture(object, plane, this.lattice.box);
  }

  private drawVolume(chosen: DecodedArray, settings: ViewSettings, range: ValueRange, colours: Palette): void {
    const { smoke } = this;
    const now = smoke !== undefined && smoke !== chosen ? rangeOf(smoke) : undefined;
    if (now !== undefined) this.smokeRange = followRange(this.smokeRange, now);
    this.volume?.setOpacity(settings.gasOpacity);
    this.volume?.setFields({
      smoke, smokeRange: smoke === chosen ? range : (this.smokeRange ?? range), chosen, chosenRange: range,
      map: mapOf(settings), smokeColour: colours.smoke,
    });
  }
}
