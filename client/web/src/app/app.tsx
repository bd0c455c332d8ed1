// SPDX-License-Identifier: Apache-2.0
import { lazy, Suspense } from "preact/compat";
import type { Api } from "@viewer/api/clients";
import { SessionListPage } from "@viewer/sessions/session_list_page";
import { MissingPage } from "@viewer/page/missing_page";
import { route } from "@viewer/page/route";

// The picture's code and the editor's come when they are wanted.
const SessionPage = lazy(async () => (await import("@viewer/desk/session_page")).SessionPage);
const NewSessionPage = lazy(async () => (await import("@viewer/scene/new_session_page")).NewSessionPage);

export function App({ api }: { readonly api: Api }) {
  const at = route.value;
  return (
    <Suspense fallback={<p class="loading muted" role="status">Loading…</p>}>
      {at.page === "session"
        ? <SessionPage key={at.id} api={api} name={`sessions/${at.id}`} place={at.place} />
        : at.page === "new"
          ? <NewSessionPage api={api} example={at.example} from={at.from} />
          : at.page === "missing"
            ? <MissingPage title="There is no such page" text={`Nothing is at ${at.path}. Perhaps the address is mistyped.`} />
            : <SessionListPage api={api} />}
    </Suspense>
  );
}
