// SPDX-License-Identifier: Apache-2.0
import { Code } from "@connectrpc/connect";
import type { LogLine, Session } from "@viewer/gen/sluice/v1/sessions_pb";
import { Backoff, sleep } from "./backoff";
import { hasCode, isTransient, messageOf } from "./api_error";
import type { Api } from "./clients";
import { isTerminal } from "./session_state";

export interface SessionEvents {
  session(session: Session): void;
  log(lines: readonly LogLine[]): void;
  lost(message: string): void;
  /** The server does not have it. */
  gone(): void;
}

const terminalSeconds = 5;
/** A call that waits longer, in ms, may have no connection: other tabs have them all. */
const longestCall = 5000;

/**
 * Follows a session's state until it is deleted, across broken connections; what is terminal is asked for now and then.
 *
 * Where streams hold connections, of which browsers have six to a server over all tabs, each tab has one for its frames. So that a
 * few tabs side by side leave room for calls, only one of them watches by a stream (whoever holds the lock), the others ask every second.
 */
export function watchSession(api: Api, name: string, events: SessionEvents): () => void {
  const abort = new AbortController();
  const { signal } = abort;
  const stopped = (): boolean => signal.aborted;
  const backoff = new Backoff();

  /** Returns whether there is anything left to follow. */
  const take = (session: Session): boolean => {
    events.session(session);
    return !isTerminal(session.state);
  };
  const stream = async (): Promise<boolean> => {
    for await (const event of api.sessions.watch({ name }, { signal })) {
      backoff.reset();
      if (event.logLines.length > 0) events.log(event.logLines);
      if (event.session !== undefined && !take(event.session)) return false;
    }
    return true;
  };
  const ask = async (): Promise<boolean> => {
    const more = take(await api.sessions.get({ name }, { signal, timeoutMs: longestCall }));
    backoff.reset();
    return more;
  };
  const askAndRest = async (): Promise<boolean> => {
    const more = await ask();
    await sleep(1, signal);
    return more;
  };
  const once = async (): Promise<boolean> => {
    // Locks exist in secure contexts only: without them every tab watches.
    if (!("locks" in navigator) || !(await api.streamsHoldConnections())) return stream();
    return await navigator.locks.request("sluice-watch", { ifAvailable: true }, (lock) => (lock === null ? askAndRest() : stream()));
  };
  /** A terminal session changes no more, but somebody may delete it. */
  const askForTheEnded = async (): Promise<void> => {
    await sleep(terminalSeconds, signal);
    if (!document.hidden) await ask();
  };

  const run = async (): Promise<void> => {
    for (let more = true; !stopped(); ) {
      try {
        if (more) more = await once();
        else await askForTheEnded();
      } catch (error) {
        if (stopped()) return;
        if (hasCode(error, Code.NotFound)) {
          events.gone();
          return;
        }
        events.lost(isTransient(error) ? "The server cannot be reached." : messageOf(error));
        await sleep(backoff.take(), signal).catch(() => undefined);
      }
    }
  };
  void run();
  return () => abort.abort();
}
