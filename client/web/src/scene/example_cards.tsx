// SPDX-License-Identifier: Apache-2.0
import { useState } from "preact/hooks";
import type { ExampleScene } from "@viewer/gen/sluice/v1/scenes_pb";

/** The example scenes, to choose one from. */
export function ExampleCards({ examples, chosen, onChoose }: {
  readonly examples: readonly ExampleScene[];
  /** Name of the one that the text began as. */
  readonly chosen: string | undefined;
  readonly onChoose: (scene: ExampleScene) => void;
}) {
  return (
    <div class="examples" role="group" aria-label="Examples">
      {examples.map((scene) => (
        <button key={scene.name} type="button" class="example" aria-pressed={scene.name === chosen} onClick={() => onChoose(scene)}>
          <Picture name={scene.name} />
          <strong>{scene.name.replaceAll("_", " ")}</strong>
          <span class="muted">{scene.description}</span>
        </button>
      ))}
    </div>
  );
}

/** Scenes of the operator's own have none. */
function Picture({ name }: { readonly name: string }) {
  const [has, setHas] = useState(true);
  return has
    ? <img class="example-picture" src={`/examples/${name}.png`} alt="" width={320} height={180} loading="lazy" onError={() => setHas(false)} />
    : <span class="example-picture" aria-hidden="true" />;
}
