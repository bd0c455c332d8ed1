// SPDX-License-Identifier: Apache-2.0
import { useMemo, useState } from "preact/hooks";
import { idOf } from "@viewer/api/session_state";
import { follow } from "@viewer/page/route";
import { Section } from "@viewer/controls/fields";
import { save } from "@viewer/download/save";
import type { Scene } from "@viewer/gen/sluice/v1/scene_pb";
import { sceneText } from "@viewer/scene/scene_text";

/** The scene that the session was made from, to be read, saved, or changed and run again. */
export function SceneSection({ name, scene }: { readonly name: string; readonly scene: Scene }) {
  const text = useMemo(() => sceneText(scene), [scene]);
  const [copied, setCopied] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(() => setCopied(true), () => undefined);
  };
  return (
    <Section title="Scene">
      <div class="button-row">
        <a class="button" href={`/new?from=${idOf(name)}`} onClick={follow}>Duplicate and edit</a>
        {/* Browsers keep the clipboard from pages that came over plain HTTP from another machine. */}
        {"clipboard" in navigator && <button type="button" onClick={copy}>{copied ? "Copied" : "Copy"}</button>}
        <button type="button" onClick={() => save({ name: `${idOf(name)}.json`, content: new Blob([text], { type: "application/json" }) })}>
          Save
        </button>
      </div>
      <details class="scene-text">
        <summary>Text</summary>
        <pre data-testid="scene-text">{text}</pre>
      </details>
    </Section>
  );
}
