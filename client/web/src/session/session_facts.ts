// SPDX-License-Identifier: Apache-2.0
import { Code } from "@connectrpc/connect";
import { hasCode, isTransient } from "@viewer/api/api_error";
import type { Api } from "@viewer/api/clients";
import { BodyKind, Field, type Body, type Layout } from "@viewer/gen/sluice/v1/frames_pb";
import type { Scene } from "@viewer/gen/sluice/v1/scene_pb";
import { sleep } from "@viewer/api/backoff";
import { flatPlane, latticeOf } from "@viewer/view/lattice";
import type { ViewSettings } from "@viewer/view/view_settings";

/** The facts of a session that stay the same while frames come, but for the number of particles. */
export interface SessionFacts {
  readonly layout: Layout;
  readonly scene: Scene;
}

/** Asks until the session has its first frame and the server is there. Fails where asking again would not help. */
export async function fetchFacts(api: Api, name: string, signal: AbortSignal): Promise<SessionFacts> {
  for (;;) {
    try {
      const [layout, scene] = await Promise.all([
        api.frames.getLayout({ session: name }, { signal }),
        api.sessions.getScene({ name }, { signal }),
      ]);
      return { layout, scene };
    } catch (error) {
      if (!isTransient(error) && !hasCode(error, Code.FailedPrecondition)) throw error;
      await sleep(0.3, signal);
    }
  }
}

/** Fields that frames have of at least one body. */
export function storedFields(layout: Layout): Field[] {
  return [...new Set([...layout.fields, ...layout.bodies.flatMap((body) => body.fields)])];
}

/** The body that costs least to fetch. */
export function smallestBody(layout: Layout): string | undefined {
  const bodies = [...layout.bodies].sort((a, b) => Number(a.count - b.count));
  return bodies[0]?.name;
}

export function hasParticles(layout: Layout): boolean {
  return layout.bodies.some((body) => body.kind === BodyKind.PARTICLES);
}

/** The body of cells, of which a scene has one at most. */
export function gasOf(layout: Layout): Body | undefined {
  return layout.bodies.find((body) => body.kind === BodyKind.CELLS);
}

/** Whether the 3D view looks through a gas. */
export function hasVolume(layout: Layout): boolean {
  const gas = gasOf(layout);
  const lattice = gas && latticeOf(gas);
  return lattice !== undefined && flatPlane(lattice) === undefined;
}

/** Whether colours stand for numbers, as a legend says: not where dye is its own colour, nor where smoke is seen as smoke. */
export function hasLegend(layout: Layout, { colourBy, view }: ViewSettings): boolean {
  if (gasOf(layout) === undefined) return hasParticles(layout);
  return colourBy !== Field.DYE && !(colourBy === Field.SMOKE && view === "3d" && hasVolume(layout));
}
