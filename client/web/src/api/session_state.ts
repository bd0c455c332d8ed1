// SPDX-License-Identifier: Apache-2.0
import { SessionReason, SessionState, type Session } from "@viewer/gen/sluice/v1/sessions_pb";

const words: Readonly<Record<SessionState, string>> = {
  [SessionState.UNSPECIFIED]: "unknown",
  [SessionState.PENDING]: "pending",
  [SessionState.STARTING]: "starting",
  [SessionState.RUNNING]: "running",
  [SessionState.PAUSED]: "paused",
  [SessionState.SUCCEEDED]: "succeeded",
  [SessionState.FAILED]: "failed",
  [SessionState.CANCELLED]: "cancelled",
};

export function stateWord(state: SessionState): string {
  return words[state];
}

export function isTerminal(state: SessionState): boolean {
  return state === SessionState.SUCCEEDED || state === SessionState.FAILED || state === SessionState.CANCELLED;
}

/** Whether commands reach a solver. */
export function canSteer(session: Session): boolean {
  return session.state === SessionState.RUNNING || session.state === SessionState.PAUSED;
}

/** The reason in a few words, where it says more than the state. */
export function reasonWords(session: Session): string {
  const { reason } = session;
  if (reason === SessionReason.UNSPECIFIED || reason === SessionReason.REQUESTED) return "";
  return SessionReason[reason].toLowerCase().replaceAll("_", " ");
}

/** The part of the name after `sessions/`. */
export function idOf(name: string): string {
  return name.replace(/^sessions\//, "");
}
