// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { messageOf } from "@viewer/api/api_error";
import type { Api } from "@viewer/api/clients";
import { isTerminal } from "@viewer/api/session_state";
import { go } from "@viewer/page/route";
import { Dialog } from "@viewer/controls/dialog";
import { SessionState, type Session } from "@viewer/gen/sluice/v1/sessions_pb";

interface SessionControlsProps {
  readonly api: Api;
  readonly session: Session;
  readonly onProblem: (message: string) => void;
}

/** Pause, resume, step, cancel, delete: of the simulation, not of the playback. */
export function SessionControls({ api, session, onProblem }: SessionControlsProps) {
  const [asking, setAsking] = useState<"cancel" | "delete" | undefined>(undefined);
  const { name, state } = session;
  const run = (call: Promise<unknown>): void => {
    onProblem("");
    call.catch((error: unknown) => onProblem(messageOf(error)));
  };
  const paused = state === SessionState.PAUSED;
  return (
    <div class="session-controls" role="group" aria-label="Simulation">
      {!isTerminal(state) && (paused
        ? <>
            <button type="button" onClick={() => run(api.sessions.resume({ name }))}>Resume</button>
            <button type="button" title="Compute one frame" onClick={() => run(api.sessions.step({ name }))}>Step</button>
          </>
        : <button type="button" onClick={() => run(api.sessions.pause({ name }))}>Pause</button>)}
      {isTerminal(state)
        ? <button type="button" class="quiet" onClick={() => setAsking("delete")}>Delete</button>
        : <button type="button" class="quiet" onClick={() => setAsking("cancel")}>Cancel</button>}
      {asking === "cancel" && (
        <Confirm
          title="Cancel the simulation?" text="It ends now and cannot go on. Its frames stay." action="Cancel the simulation"
          onClose={() => setAsking(undefined)} onConfirm={() => run(api.sessions.cancel({ name }))}
        />
      )}
      {asking === "delete" && (
        <Confirm
          title="Delete the session?" text="All its frames are deleted with it, for everybody." action="Delete"
          onClose={() => setAsking(undefined)} onConfirm={() => run(api.sessions.delete({ name }).then(() => go("/")))}
        />
      )}
    </div>
  );
}

function Confirm({ title, text, action, onClose, onConfirm }: {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="dialog-actions">
        <button type="button" onClick={onClose}>Back</button>
        <button
          type="button" class="danger"
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
