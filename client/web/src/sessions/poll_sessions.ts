// SPDX-License-Identifier: Apache-2.0
import type { Api } from "@viewer/api/clients";
import type { Session } from "@viewer/gen/sluice/v1/sessions_pb";
import { Backoff, sleep } from "@viewer/api/backoff";

export interface SessionPages {
  readonly sessions: readonly Session[];
  /** Whether there are sessions behind these. */
  readonly more: boolean;
}

const pollSeconds = 1.5;

/**
 * Lists the newest `size` sessions again and again while the page is visible. A watch a session would take the browser's six
 * connections to the server for six sessions.
 */
export function pollSessions(
  api: Api, size: number, events: { pages(pages: SessionPages): void; problem(error: unknown): void },
): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const backoff = new Backoff(1, 8);
  const run = async (): Promise<void> => {
    for (;;) {
      let wait = pollSeconds;
      try {
        if (!document.hidden) {
          const page = await api.sessions.list({ pageSize: size }, { signal, timeoutMs: 10_000 });
          backoff.reset();
          events.pages({ sessions: page.sessions, more: page.nextPageToken !== "" });
        }
      } catch (error) {
        signal.throwIfAborted();
        events.problem(error);
        wait = backoff.take();
      }
      await sleep(wait, signal);
    }
  };
  run().catch(() => undefined);
  return () => abort.abort();
}
