// SPDX-License-Identifier: Apache-2.0
import { Code } from "@connectrpc/connect";
import { hasCode, isTransient } from "@viewer/api/api_error";
import type { Api } from "@viewer/api/clients";
import { BodyKind, type Field, type Layout } from "@viewer/gen/sluice/v1/frames_pb";
import type { Scene } from "@viewer/gen/sluice/v1/scene_pb";
import { sleep } from "@viewer/stream/backoff";

/** What stays the same while frames come, but for the number of particles. */
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
