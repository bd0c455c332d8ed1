// SPDX-License-Identifier: Apache-2.0
import { useEffect } from "preact/hooks";
import { PageHeader } from "./page_header";
import { follow } from "./route";

/** Says that there is nothing to be seen here, and where to go from here. */
export function MissingPage({ title, text }: { readonly title: string; readonly text: string }) {
  useEffect(() => {
    document.title = `${title} · Sluice`;
  }, [title]);
  return (
    <div class="page">
      <PageHeader />
      <main class="empty" role="alert" data-testid="missing">
        <h2>{title}</h2>
        <p>{text}</p>
        <p class="ways">
          <a class="button primary" href="/" onClick={follow}>All sessions</a>
          <a class="button" href="/new" onClick={follow}>New session</a>
        </p>
      </main>
    </div>
  );
}
