// SPDX-License-Identifier: Apache-2.0
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial, Sphere,
} from "three";
import { valuesOf, type DecodedArray } from "@viewer/stream/decoded_frame";
import { edgesOf, triangleIndices, vertexNormals } from "./mesh_topology";

/** One body of triangles: cloth now, other solids as they come. */
export class Surface {
  readonly object = new Group();
  readonly mesh: Mesh<BufferGeometry, MeshStandardMaterial>;
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly triangles: Uint32Array;
  private hasEdges = false;

  constructor(triangles: Uint8Array) {
    this.triangles = triangleIndices(triangles);
    const geometry = new BufferGeometry();
    geometry.setIndex(new BufferAttribute(this.triangles, 1));
    geometry.boundingSphere = new Sphere(undefined, Infinity); // Vertices move: rays and frustum ask the triangles.
    // Pushed back a little in depth, so that edges stand out of the triangles they bound.
    this.mesh = new Mesh(geometry, new MeshStandardMaterial({
      side: DoubleSide, roughness: 0.85, metalness: 0, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    }));
    this.mesh.frustumCulled = false;
    this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.35 }));
    this.lines.frustumCulled = false;
    this.lines.visible = false;
    this.object.add(this.mesh, this.lines);
  }

  setFrame(array: DecodedArray): void {
    const { geometry } = this.mesh;
    const positions = valuesOf(array);
    const old = geometry.getAttribute("position") as BufferAttribute | undefined;
    if (old?.array.length !== positions.length) {
      geometry.setAttribute("position", new BufferAttribute(positions, 3));
      geometry.setAttribute("normal", new BufferAttribute(new Float32Array(positions.length), 3));
    } else {
      old.array = positions;
      old.needsUpdate = true;
    }
    const normal = geometry.getAttribute("normal") as BufferAttribute;
    vertexNormals(positions, this.triangles, normal.array as Float32Array);
    normal.needsUpdate = true;
    this.lines.geometry.setAttribute("position", geometry.getAttribute("position"));
  }

  /** Positions of the vertices in the frame that is shown; empty before the first. */
  get positions(): Float32Array {
    const attribute = this.mesh.geometry.getAttribute("position") as BufferAttribute | undefined;
    return attribute === undefined ? new Float32Array() : (attribute.array as Float32Array);
  }

  setColours(surface: Color, edges: Color): void {
    this.mesh.material.color.copy(surface);
    this.lines.material.color.copy(edges);
  }

  showEdges(visible: boolean): void {
    if (visible && !this.hasEdges) {
      this.lines.geometry.setIndex(new BufferAttribute(edgesOf(this.triangles), 1));
      this.hasEdges = true;
    }
    this.lines.visible = visible;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    this.mesh.material.dispose();
    this.lines.geometry.dispose();
    this.lines.material.dispose();
  }
}
