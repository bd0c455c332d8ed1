// SPDX-License-Identifier: Apache-2.0
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useEffect, useState } from "preact/hooks";
import { messageOf } from "@viewer/api/api_error";
import type { Api } from "@viewer/api/clients";
import { idOf, isTerminal } from "@viewer/api/session_state";
import { PageHeader } from "@viewer/page/page_header";
import { follow } from "@viewer/page/route";
import { Icon } from "@viewer/controls/icons";
import { ago, bytes, count } from "@viewer/words/numbers";
import { StateChip } from "@viewer/controls/state_chip";
import { WarningBadge } from "@viewer/controls/warning_badge";
import type { Session } from "@viewer/gen/sluice/v1/sessions_pb";
import { pollSessions, type SessionPages } from "./poll_sessions";

/** All sessions of the server, as they stand. */
export function SessionListPage({ api }: { readonly api: Api }) {
  const [pages, setPages] = useState<SessionPages | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const [size, setSize] = useState(50);
  useEffect(() => {
    document.title = "Sessions · Sluice";
  }, []);
  useEffect(
    () => pollSessions(api, size, {
      pages: (next) => {
        setPages(next);
        setProblem("");
      },
      problem: (error) => setProblem(messageOf(error)),
    }),
    [api, size],
  );
  return (
    <div class="page">
      <PageHeader />
      <main class="page-body">
        <div class="page-title">
          <h1>Sessions</h1>
          <a class="button primary" href="/new" onClick={follow}><Icon name="plus" /> New session</a>
        </div>
        {problem !== "" && <p class="notice error" role="alert">{problem} Trying again…</p>}
        {pages === undefined && problem === "" && <p class="muted" role="status">Loading…</p>}
        {pages?.sessions.length === 0 && (
          <div class="empty">
            <h2>Nothing runs here yet</h2>
            <p>Start an example, or drop a scene of your own.</p>
            <p><a class="button" href="/new" onClick={follow}>New session</a></p>
          </div>
        )}
        {pages !== undefined && pages.sessions.length > 0 && (
          <ul class="session-list">
            {pages.sessions.map((session) => <SessionRow key={session.name} session={session} />)}
          </ul>
        )}
        {pages?.more === true && <button type="button" onClick={() => setSize(size + 50)}>Show more</button>}
      </main>
    </div>
  );
}

function SessionRow({ session }: { readonly session: Session }) {
  const done = session.totalFrameCount > 0n ? Number(session.frameCount) / Number(session.totalFrameCount) : 0;
  const created = session.createTime === undefined ? undefined : timestampDate(session.createTime);
  const bodies = [
    session.particleCount > 0n ? `${count(session.particleCount)} particles` : "",
    session.vertexCount > 0n ? `${count(session.vertexCount)} vertices` : "",
  ].filter((text) => text !== "");
  return (
    <li>
      <a class="session-row" href={`/sessions/${idOf(session.name)}`} onClick={follow}>
        <span class="session-name">{session.displayName === "" ? session.name : session.displayName}</span>
        <span class="session-state"><WarningBadge session={session} /><StateChip session={session} /></span>
        <span class="session-facts muted">
          <span>{bodies.join(", ")}</span>
          <span>{bytes(session.storedByteCount)}</span>
          {created !== undefined && (
            <time dateTime={created.toISOString()} title={created.toLocaleString()}>{ago((Date.now() - created.getTime()) / 1000)}</time>
          )}
        </span>
        <span class="session-progress">
          <span class="bar" aria-hidden="true">
            <span class={isTerminal(session.state) ? "bar-fill still" : "bar-fill"} style={{ width: `${100 * done}%` }} />
          </span>
          <span class="muted">
            {count(session.frameCount)} / {count(session.totalFrameCount)} frames
            {session.framesPerSecond > 0 && ` · ${session.framesPerSecond.toFixed(1)} a second`}
          </span>
        </span>
      </a>
    </li>
  );
}
