// SPDX-License-Identifier: Apache-2.0
import {
  Box3, Box3Helper, BufferAttribute, BufferGeometry, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshStandardMaterial,
  Vector3,
} from "three";
import type { Scene } from "@viewer/gen/sluice/v1/scene_pb";
import { niceStep } from "./box3d";
import type { Palette } from "./palette";
import { triple } from "./quantised_attribute";
import { solidLayer } from "./solid_depth";
import { shapeGeometry, worldFromBody } from "./shape_geometry";

/** The things around the bodies: the domain's edges, a grid on its floor, and the obstacles. */
export class Backdrop {
  readonly object = new Group();
  readonly obstacles = new Map<string, Mesh<BufferGeometry, MeshStandardMaterial>>();
  private readonly frame: Box3Helper;
  private readonly grid: LineSegments<BufferGeometry, LineBasicMaterial>;

  constructor(domain: Box3, scene: Scene | undefined) {
    this.frame = new Box3Helper(domain);
    this.grid = new LineSegments(floorGrid(domain), new LineBasicMaterial());
    this.grid.position.copy(domain.min);
    this.object.add(this.frame, this.grid);
    for (const obstacle of scene?.obstacles ?? []) this.addObstacle(obstacle.name, obstacle.shape, domain);
  }

  showDomain(visible: boolean): void {
    this.frame.visible = this.grid.visible = visible;
  }

  showObstacles(visible: boolean): void {
    for (const mesh of this.obstacles.values()) mesh.visible = visible;
  }

  /** Puts obstacles where the frame has them; the others where the scene has them. */
  setOffsets(offsets: Readonly<Record<string, readonly number[]>>): void {
    for (const [name, mesh] of this.obstacles) {
      const offset = new Vector3(...triple(offsets[name] ?? [], 0));
      mesh.position.copy(mesh.userData["home"] as Vector3).add(offset);
    }
  }

  setPalette(colours: Palette): void {
    (this.frame.material as LineBasicMaterial).color.copy(colours.frame);
    this.grid.material.color.copy(colours.grid);
    for (const mesh of this.obstacles.values()) mesh.material.color.copy(colours.obstacle);
  }

  dispose(): void {
    this.frame.dispose();
    this.grid.geometry.dispose();
    this.grid.material.dispose();
    for (const mesh of this.obstacles.values()) {
      mesh.geometry.dispose();
      mesh.material.dispose();
    }
  }

  private addObstacle(name: string, shape: Scene["obstacles"][number]["shape"], domain: Box3): void {
    if (shape === undefined) return;
    const extent = domain.getSize(new Vector3()).length() / 2;
    const geometry = shapeGeometry(shape, extent);
    if (geometry === undefined) return;
    const mesh = new Mesh(geometry, new MeshStandardMaterial({ roughness: 0.9, side: DoubleSide }));
    mesh.applyMatrix4(worldFromBody(shape.transform));
    mesh.userData["home"] = mesh.position.clone();
    mesh.name = name;
    mesh.layers.enable(solidLayer);
    this.obstacles.set(name, mesh);
    this.object.add(mesh);
  }
}

/** Lines at round coordinates of the world, measured from the domain's lower corner. */
function floorGrid(domain: Box3): BufferGeometry {
  const { min, max } = domain;
  const [width, depth] = [max.x - min.x, max.y - min.y];
  const step = niceStep(Math.max(width, depth));
  const points: number[] = [];
  for (let x = Math.ceil(min.x / step) * step - min.x; x <= width; x += step) points.push(x, 0, 0, x, depth, 0);
  for (let y = Math.ceil(min.y / step) * step - min.y; y <= depth; y += step) points.push(0, y, 0, width, y, 0);
  return new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.from(points), 3));
}
