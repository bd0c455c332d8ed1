// SPDX-License-Identifier: Apache-2.0
import { fromJson, type JsonValue } from "@bufbuild/protobuf";
import { uploadAsset } from "@viewer/api/upload_asset";
import type { Api } from "@viewer/api/clients";
import { SceneSchema, type Scene } from "@viewer/gen/sluice/v1/scene_pb";
import { SceneProblem_Severity as Severity, type ExampleScene } from "@viewer/gen/sluice/v1/scenes_pb";
import { JsonSyntaxError, parseJsonText, spanOf, type JsonText, type Span } from "./json_text";
import { baseName, meshUses, withAssets } from "./mesh_names";

/** Something wrong in a scene, with its place in the text. */
export interface PlacedProblem {
  readonly field: string;
  readonly message: string;
  readonly isError: boolean;
  readonly span: Span;
}

/** A mesh that the scene needs, and whether it is here. */
export interface NeededMesh {
  readonly fileName: string;
  readonly state: "missing" | "uploading" | "ready";
  readonly share: number;
}

/** The result of a check. */
export interface Check {
  readonly problems: readonly PlacedProblem[];
  readonly particleCount: number;
  readonly vertexCount: number;
}

/** Files and their assets behind a scene that is being written. */
export class SceneDraft {
  private readonly files = new Map<string, Uint8Array>();
  private readonly assets = new Map<string, string>();
  private readonly shares = new Map<string, number>();

  constructor(
    private readonly api: Api,
    private readonly changed: () => void,
  ) {}

  /** Takes a mesh that the scene may name, by its file's name; an upload starts when a check wants it. */
  addFile(name: string, data: Uint8Array): void {
    const key = baseName(name);
    this.files.set(key, data);
    this.assets.delete(key);
    this.shares.delete(key);
    this.changed();
  }

  addExample({ files }: ExampleScene): void {
    for (const { name, data } of files) this.addFile(name, data);
  }

  /** The meshes that the text names. */
  meshes(text: string): NeededMesh[] {
    const parsed = tryParse(text);
    if (parsed === undefined) return [];
    const names = new Set(meshUses(parsed).map(({ fileName }) => baseName(fileName)));
    return [...names].map((fileName) => ({
      fileName,
      state: this.assets.has(fileName) ? "ready" : this.files.has(fileName) ? "uploading" : "missing",
      share: this.shares.get(fileName) ?? 0,
    }));
  }

  /** Uploads what the scene names and asks the server. Meshes that are not here are problems of their own. */
  async check(text: string): Promise<Check> {
    let parsed: JsonText;
    try {
      parsed = parseJsonText(text);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      const span = { from: error.at, to: Math.min(error.at + 1, text.length) };
      return { problems: [{ field: "", message: `Not JSON: ${error.message}.`, isError: true, span }], particleCount: 0, vertexCount: 0 };
    }
    await this.uploadFor(parsed);
    const answer = await this.api.scenes.validate({ source: { case: "json", value: withAssets(text, parsed, this.assets) } });
    const missing = new Map(this.meshUsesMissing(parsed).map((use) => [use.field, use.fileName]));
    const problems = answer.problems.map(({ field, message, severity }): PlacedProblem => {
      const file = missing.get(field);
      const text = file === undefined ? message : `Drop the file ${baseName(file)} here, or choose it below.`;
      return { field, message: text, isError: severity !== Severity.WARNING, span: spanOf(parsed, field) };
    });
    return { problems, particleCount: Number(answer.particleCount), vertexCount: Number(answer.vertexCount) };
  }

  /** The scene as a message, its meshes as assets. Throws where the text is not a scene. */
  async scene(text: string): Promise<Scene> {
    const parsed = parseJsonText(text);
    await this.uploadFor(parsed);
    return fromJson(SceneSchema, parseJsonText(withAssets(text, parsed, this.assets)).value as JsonValue);
  }

  private meshUsesMissing(parsed: JsonText): { field: string; fileName: string }[] {
    return meshUses(parsed).filter(({ fileName }) => !this.assets.has(baseName(fileName)));
  }

  private async uploadFor(parsed: JsonText): Promise<void> {
    for (const { fileName } of this.meshUsesMissing(parsed)) {
      const name = baseName(fileName);
      const data = this.files.get(name);
      if (data === undefined) continue;
      const asset = await uploadAsset(this.api, { name, data }, (share) => {
        this.shares.set(name, share);
        this.changed();
      });
      // A newer file of the same name may have been dropped meanwhile.
      if (this.files.get(name) === data) this.assets.set(name, asset);
      this.changed();
    }
  }
}

function tryParse(text: string): JsonText | undefined {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}
