// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import { Toggle } from "@viewer/controls/fields";

export interface RunChoice {
  readonly displayName: string;
  /** The scene's if omitted. */
  readonly frameCount: number | undefined;
  readonly startPaused: boolean;
}

export function RunForm({ busy, ready, onRun }: {
  readonly busy: boolean;
  readonly ready: boolean;
  readonly onRun: (choice: RunChoice) => void;
}) {
  const [displayName, setDisplayName] = useState("");
  const [frames, setFrames] = useState("");
  const [startPaused, setStartPaused] = useState(false);
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        onRun({ displayName, frameCount: frames === "" ? undefined : Number(frames), startPaused });
      }}
    >
      <h2>Run</h2>
      <label class="field">
        <span>Name</span>
        <input type="text" maxLength={128} placeholder="the scene's" value={displayName} onInput={(event) => setDisplayName(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Frames</span>
        <input
          type="number" min={1} max={1_000_000} step={1} placeholder="the scene's" value={frames}
          onInput={(event) => setFrames(event.currentTarget.value)}
        />
      </label>
      <Toggle label="Start paused" checked={startPaused} onChange={setStartPaused} />
      <button type="submit" class="primary" disabled={busy || !ready}>{busy ? "Starting…" : "Start the simulation"}</button>
    </form>
  );
}
