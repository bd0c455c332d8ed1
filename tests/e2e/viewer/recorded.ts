// SPDX-License-Identifier: Apache-2.0
import { vi } from "vitest";
import type { Api } from "@viewer/api/clients";
import type { SteerCommand } from "@viewer/gen/sluice/v1/sessions_pb";

export type Action = SteerCommand["action"];

export interface RecordedAction {
  action: Action;
  frame: number;
}

/** Everything that people did, of all pages, with the frames from which on it acts. */
export async function recordedActions(api: Api, session: string): Promise<RecordedAction[]> {
  const actions: RecordedAction[] = [];
  let pageToken = "";
  do {
    const { commands, nextPageToken } = await api.sessions.listCommands({ name: session, pageToken });
    actions.push(...commands.flatMap(({ command, frameIndex }) => (command === undefined ? [] : [{ action: command.action, frame: Number(frameIndex) }])));
    pageToken = nextPageToken;
  } while (pageToken !== "");
  return actions;
}

/** The newest recorded action of a kind, once there is one that `fits`. */
export async function recorded(
  api: Api, session: string, kind: Action["case"], fits: (action: Action) => boolean = () => true,
): Promise<RecordedAction> {
  return vi.waitFor(async () => {
    const newest = (await recordedActions(api, session)).filter(({ action }) => action.case === kind).pop();
    if (newest === undefined || !fits(newest.action)) throw new Error(`no ${kind ?? "action"} yet that fits`);
    return newest;
  }, { timeout: 20_000, interval: 100 });
}
