// SPDX-License-Identifier: Apache-2.0
import { warningCount, warningTitle } from "@viewer/api/warning_words";
import type { Session } from "@viewer/gen/sluice/v1/sessions_pb";
import { Icon } from "./icons";

/** How many warnings a session has; nothing where it has none. A button where `onClick` says what for. */
export function WarningBadge({ session, onClick }: { readonly session: Session; readonly onClick?: () => void }) {
  const { warnings } = session;
  if (warnings.length === 0) return null;
  const words = <><Icon name="warning" />{warningCount(warnings.length)}</>;
  const titles = warnings.flatMap(({ warning }) => (warning === undefined ? [] : [warningTitle(warning)])).join("\n");
  return onClick === undefined
    ? <span class="chip warnings" title={titles}>{words}</span>
    : <button type="button" class="chip warnings" title={titles} onClick={onClick}>{words}</button>;
}
