// SPDX-License-Identifier: Apache-2.0
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, Sphere,
  type Vector3,
} from "three";
import { valuesOf, type DecodedArray } from "@viewer/stream/decoded_frame";
import { solidLayer } from "./solid_depth";
import { edgesOf, triangleIndices, vertexNormals } from "./mesh_topology";

/** One body of triangles: a cloth, or what surrounds a solid. */
export class Surface {
  readonly object = new Group();
  readonly mesh: Mesh<BufferGeometry, MeshLambertMaterial>;
  private readonly lines: LineSegments<BufferGeometry, LineBasicMaterial>;
  private readonly triangles: Uint32Array;
  private hasEdges = false;

  /** `origin`: see localOrigin. */
  constructor(triangles: Uint8Array, readonly origin: Vector3) {
    this.triangles = triangleIndices(triangles);
    const geometry = new BufferGeometry();
    geometry.setIndex(new BufferAttribute(this.triangles, 1));
    geometry.boundingSphere = new Sphere(undefined, Infinity); // Vertices move: rays and frustum ask the triangles.
    this.mesh = new Mesh(geometry, new MeshLambertMaterial({ side: DoubleSide }));
    this.mesh.frustumCulled = false;
    this.mesh.layers.enable(solidLayer);
    this.lines = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.35 }));
    // Edges come forward by a hair. Pushing the triangles back would let the water behind steep ones show through.
    this.lines.material.onBeforeCompile = (shader) => {
      shader.vertexShader = shader.vertexShader.replace(
        "#include <project_vertex>", "#include <project_vertex>\n  gl_Position.z -= 1e-4 * gl_Position.w;",
      );
    };
    this.lines.frustumCulled = false;
    this.lines.visible = false;
    this.object.add(this.mesh, this.lines);
    this.object.position.copy(origin);
  }

  setFrame(array: DecodedArray): void {
    const { geometry } = this.mesh;
    const positions = valuesOf(array, this.origin.toArray());
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

  /** Positions of the vertices in the frame that is shown, measured from `origin`; empty before the first. */
  get positions(): Float32Array {
    const attribute = this.mesh.geometry.getAttribute("position") as BufferAttribute | undefined;
    return attribute === undefined ? new Float32Array() : (attribute.array as Float32Array);
  }

  setColours(surface: Color, edges: Color): void {
    this.mesh.material.color.copy(surface);
    this.lines.material.color.copy(edges);
  }

  /** In 2D what lies behind is to be seen. */
  setTranslucent(translucent: boolean): void {
    const { material } = this.mesh;
    if (material.transparent === translucent) return;
    material.transparent = translucent;
    material.opacity = translucent ? 0.4 : 1;
    material.needsUpdate = true;
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
