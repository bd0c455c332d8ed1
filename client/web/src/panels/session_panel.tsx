// SPDX-License-Identifier: Apache-2.0
import { Section } from "@viewer/controls/fields";
import { bytes, count } from "@viewer/words/numbers";
import { LogLevel } from "@viewer/gen/sluice/v1/sessions_pb";
import { SceneSection } from "./scene_section";
import { WarningSection } from "./warning_section";
import type { SessionModel } from "@viewer/session/session_model";

/** What the server says of the session: its facts and its log. */
export function SessionPanel({ model }: { readonly model: SessionModel }) {
  const session = model.session.value;
  if (session === undefined) return null;
  const scene = model.facts.value?.scene;
  const rows: [string, string][] = [
    ["Name", session.name],
    ["Frames", `${count(session.frameCount)} of ${count(session.totalFrameCount)}`],
    ["Computing", session.framesPerSecond > 0 ? `${session.framesPerSecond.toFixed(1)} frames a second` : ""],
    ["On disk", bytes(session.storedByteCount)],
    ["Checkpoint", session.checkpointFrame >= 0n ? `frame ${session.checkpointFrame}` : ""],
    ["Worker", session.workerPid > 0n ? `process ${session.workerPid}` : ""],
    ["Restarts", session.restartCount > 0 ? String(session.restartCount) : ""],
  ];
  return (
    <>
      {session.message !== "" && <p class="notice">{session.message}</p>}
      {session.warnings.length > 0 && (
        <WarningSection warnings={session.warnings} onFrame={(index) => model.command((player) => player.seek(index))} />
      )}
      <Section title="Session">
        <dl class="facts">
          {rows.filter(([, value]) => value !== "").map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
        </dl>
      </Section>
      {scene !== undefined && <SceneSection name={session.name} scene={scene} />}
      <Section title="Log">
        {model.log.value.length === 0 ? <p class="hint">Nothing was logged.</p> : (
          <ol class="log">
            {model.log.value.map((line, i) => (
              <li key={i} class={`log-${LogLevel[line.level].toLowerCase()}`}>{line.message}</li>
            ))}
          </ol>
        )}
      </Section>
    </>
  );
}
