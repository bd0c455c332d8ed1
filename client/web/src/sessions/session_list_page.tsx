// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from "preact/hooks";
import type { Api } from "@viewer/api/clients";
import type { Session } from "@viewer/gen/sluice/v1/sessions_pb";

export function SessionListPage({ api }: { readonly api: Api }) {
  const [sessions, setSessions] = useState<Session[]>([]);
  useEffect(() => {
    void api.sessions.list({}).then((page) => setSessions(page.sessions));
  }, [api]);
  return <ul>{sessions.map((session) => <li key={session.name}>{session.displayName}</li>)}</ul>;
}
