// SPDX-License-Identifier: Apache-2.0
import { reasonWords, stateWord } from "@viewer/api/session_state";
import type { Session } from "@viewer/gen/sluice/v1/sessions_pb";

export function StateChip({ session }: { readonly session: Session }) {
  const word = stateWord(session.state);
  const reason = reasonWords(session);
  return (
    <span class={`chip state-${word}`} title={session.message}>
      <span class="dot" aria-hidden="true" />
      {word}{reason !== "" && <span class="chip-reason">: {reason}</span>}
    </span>
  );
}
