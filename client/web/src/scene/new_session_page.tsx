// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { messageOf, violationsOf } from "@viewer/api/api_error";
import type { Api } from "@viewer/api/clients";
import { idOf } from "@viewer/api/session_state";
import { PageHeader } from "@viewer/page/page_header";
import { go } from "@viewer/page/route";
import { count } from "@viewer/words/numbers";
import type { ExampleScene } from "@viewer/gen/sluice/v1/scenes_pb";
import { DropZone } from "./drop_zone";
import { ExampleCards } from "./example_cards";
import { ProblemList } from "./problem_list";
import { RunForm, type RunChoice } from "./run_form";
import { SceneDraft, type Check } from "./scene_draft";
import { SceneEditor } from "./scene_editor";
import { sceneText } from "./scene_text";

/** Quiet time after a key before the server is asked. */
const checkDelay = 400;
const blank = `{
  "name": "My scene",
  "domain": {"lower": [-0.5, -0.5, 0], "upper": [0.5, 0.5, 1]},
  "timing": {"frame_count": 120, "frames_per_second": 60},
  "fluid_grid": {"cell_size": 0.03},
  "fluids": [{"name": "water", "regions": [{"sphere": {"radius": 0.2}, "transform": {"translation": [0, 0, 0.7]}}]}],
}
`;

interface NewSessionPageProps {
  readonly api: Api;
  /** Name of the example to begin with. */
  readonly example: string | undefined;
  /** Id of the session whose scene to begin with. */
  readonly from: string | undefined;
}

/** Writes a scene, or takes one from a file or an example, and runs it. */
export function NewSessionPage({ api, example, from }: NewSessionPageProps) {
  const [text, setText] = useState(blank);
  const [examples, setExamples] = useState<readonly ExampleScene[]>([]);
  /** Name of the example that the text began as. */
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const [check, setCheck] = useState<Check | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const [version, setVersion] = useState(0);
  const draft = useMemo(() => new SceneDraft(api, () => setVersion((before) => before + 1)), [api]);
  const editor = useRef<SceneEditor | undefined>(undefined);
  const place = useRef<HTMLDivElement>(null);

  useEffect(() => {
    document.title = "New session · Sluice";
    if (place.current === null) return;
    const made = new SceneEditor(place.current, blank, setText);
    editor.current = made;
    return () => made.dispose();
  }, []);

  const use = (scene: ExampleScene): void => {
    setChosen(scene.name);
    draft.addExample(scene);
    editor.current?.setText(scene.json);
  };
  useEffect(() => {
    api.scenes.listExamples({}).then(
      ({ scenes }) => {
        setExamples(scenes);
        const wanted = scenes.find(({ name }) => name === example);
        if (wanted !== undefined) use(wanted);
      },
      (error: unknown) => setProblem(messageOf(error)),
    );
  }, [api, example]);
  useEffect(() => {
    if (from === undefined) return;
    api.sessions.getScene({ name: `sessions/${from}` }).then(
      (scene) => editor.current?.setText(sceneText(scene)),
      (error: unknown) => setProblem(`The scene of sessions/${from} cannot be read: ${messageOf(error)}`),
    );
  }, [api, from]);

  const meshes = draft.meshes(text);
  const files = meshes.map(({ fileName, state }) => `${fileName}:${state === "missing" ? "missing" : "here"}`).join();
  useEffect(() => {
    let late = false;
    const timer = setTimeout(() => {
      draft.check(text).then(
        (found) => {
          if (late) return;
          setCheck(found);
          setProblem("");
          editor.current?.setProblems(found.problems);
        },
        (error: unknown) => !late && setProblem(messageOf(error)),
      );
    }, checkDelay);
    return () => {
      late = true;
      clearTimeout(timer);
    };
  }, [draft, text, files]);

  const take = async (dropped: readonly File[]): Promise<void> => {
    for (const file of dropped) {
      const data = new Uint8Array(await file.arrayBuffer());
      if (/\.(json|jsonc)$/i.test(file.name)) {
        setChosen(undefined);
        editor.current?.setText(new TextDecoder().decode(data));
      }
      else draft.addFile(file.name, data);
    }
  };

  const run = async ({ displayName, frameCount, startPaused }: RunChoice): Promise<void> => {
    setBusy(true);
    try {
      const session = await api.sessions.create({
        scene: await draft.scene(text),
        session: { displayName, options: { startPaused, ...(frameCount !== undefined && { frameCount: BigInt(frameCount) }) } },
        requestId: requestId(),
      });
      go(`/sessions/${idOf(session.name)}`);
    } catch (error) {
      const violations = violationsOf(error).map(({ field, description }) => `${field}: ${description}`);
      setProblem([messageOf(error), ...violations].join("\n"));
    } finally {
      setBusy(false);
    }
  };

  const errors = check?.problems.filter(({ isError }) => isError).length ?? 0;
  return (
    <DropZone onFiles={(dropped) => void take(dropped)}>
      <div class="page" data-version={version}>
        <PageHeader />
        <main class="page-body wide">
          <div class="page-title"><h1>New session</h1></div>
          <ExampleCards examples={examples} chosen={chosen} onChoose={use} />
          <div class="new-session">
            <section class="editor" aria-label="Scene"><div ref={place} class="editor-text" /></section>
            <div class="new-session-side">
              {problem !== "" && <p class="notice error" role="alert">{problem}</p>}
              <section class="card" aria-live="polite">
                <h2>{check === undefined ? "Checking…" : errors > 0 ? `${errors} ${errors === 1 ? "problem" : "problems"}` : "Ready to run"}</h2>
                {check !== undefined && errors === 0 && check.particleCount + check.vertexCount > 0 && (
                  <p class="muted">{count(check.particleCount)} particles, {count(check.vertexCount)} vertices</p>
                )}
                <ProblemList problems={check?.problems ?? []} onChoose={({ span }) => editor.current?.goTo(span.from)} />
              </section>
              <RunForm busy={busy} ready={check !== undefined && errors === 0} onRun={(choice) => void run(choice)} />
              <section class="card">
                <h2>Files</h2>
                {meshes.length === 0 && <p class="muted">The scene names no mesh files.</p>}
                <ul class="meshes">
                  {meshes.map(({ fileName, state, share }) => (
                    <li key={fileName} class={`mesh ${state}`}>
                      <span>{fileName}</span>
                      <span class="muted">{state === "uploading" ? `${Math.round(100 * share)} %` : state}</span>
                    </li>
                  ))}
                </ul>
                <label class="file-button button">
                  Choose files…
                  <input
                    type="file" multiple accept=".json,.jsonc,.obj,.ply,.stl,.vtp,.msh,.vtk,.vtu" class="visually-hidden"
                    onChange={(event) => void take([...(event.currentTarget.files ?? [])])}
                  />
                </label>
                <p class="hint">A scene (.json) and its meshes (.obj, .ply, .stl, .vtp, .msh, .vtk, .vtu) can also be dropped anywhere on this page.</p>
              </section>
            </div>
          </div>
        </main>
      </div>
    </DropZone>
  );
}

/** Makes a repeated call the same call. `crypto.randomUUID` is missing outside secure contexts. */
function requestId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
