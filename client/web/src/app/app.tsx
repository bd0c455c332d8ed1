// SPDX-License-Identifier: Apache-2.0
import type { Api } from "@viewer/api/clients";
import { SessionListPage } from "@viewer/sessions/session_list_page";

export function App({ api }: { readonly api: Api }) {
  return <SessionListPage api={api} />;
}
