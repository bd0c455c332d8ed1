// SPDX-License-Identifier: Apache-2.0
import { Vector3, type Mesh, type Raycaster } from "three";
import type { Stage } from "@viewer/view/stage";
import type { PinVertices } from "@viewer/view/pins";

/** The thing that a hand holds: a point of a body that deforms, a pin, or an obstacle. `where` follows it from frame to frame. */
export interface Grip {
  readonly kind: "body" | "pin" | "obstacle";
  readonly body: string;
  /** The name of a pin. */
  readonly pin: string;
  where(): Vector3;
}

/** The nearest thing on the ray that can be held. */
export function findGrip(stage: Stage, ray: Raycaster, pins: ReadonlyMap<string, readonly PinVertices[]>): Grip | undefined {
  const surfaces = [...(stage.bodies?.surfaces ?? [])].filter(([, surface]) => surface.object.visible);
  const obstacles = [...(stage.backdrop?.obstacles ?? [])].filter(([, mesh]) => mesh.visible);
  const meshes: Mesh[] = [...surfaces.map(([, surface]) => surface.mesh), ...obstacles.map(([, mesh]) => mesh)];
  const hit = ray.intersectObjects(meshes, false)[0];
  if (hit === undefined) return undefined;
  const obstacle = obstacles.find(([, mesh]) => mesh === hit.object);
  if (obstacle !== undefined) {
    const [body, mesh] = obstacle;
    const offset = hit.point.clone().sub(mesh.position);
    return { kind: "obstacle", body, pin: "", where: () => mesh.position.clone().add(offset) };
  }
  const found = surfaces.find(([, surface]) => surface.mesh === hit.object);
  if (found === undefined || !hit.face) return undefined;
  const [body, surface] = found;
  const corners = [hit.face.a, hit.face.b, hit.face.c];
  const at = (vertex: number): Vector3 => new Vector3().fromArray(surface.positions, vertex * 3).add(surface.origin);
  const weights = barycentric(hit.point, at(hit.face.a), at(hit.face.b), at(hit.face.c));
  const pin = (pins.get(body) ?? []).find(({ vertices }) => corners.some((corner) => vertices.includes(corner)));
  return {
    kind: pin === undefined ? "body" : "pin",
    body,
    pin: pin?.name ?? "",
    where: () => corners.reduce((sum, corner, i) => sum.addScaledVector(at(corner), weights[i] ?? 0), new Vector3()),
  };
}

/** Weights of `p` in the triangle, by areas; the first corner's where it has no area. */
function barycentric(p: Vector3, a: Vector3, b: Vector3, c: Vector3): readonly number[] {
  const area = (u: Vector3, v: Vector3, w: Vector3): number => v.clone().sub(u).cross(w.clone().sub(u)).length();
  const parts = [area(p, b, c), area(a, p, c), area(a, b, p)];
  const sum = parts.reduce((x, y) => x + y, 0);
  return sum > 0 ? parts.map((part) => part / sum) : [1, 0, 0];
}
