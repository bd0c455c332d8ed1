// SPDX-License-Identifier: Apache-2.0
import { getOption, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { names_asset } from "@viewer/gen/sluice/v1/annotations_pb";
import { SceneSchema } from "@viewer/gen/sluice/v1/scene_pb";
import type { JsonText } from "./json_text";

/** A mesh that a scene names by its file. */
export interface MeshUse {
  /** For example `cloths[0].mesh`. */
  readonly field: string;
  readonly fileName: string;
}

/** The mesh files that a scene names, in the fields marked so (annotations.proto); those that are assets already are not among them. */
export function meshUses({ value }: JsonText): MeshUse[] {
  return usesInMessage(value, SceneSchema, "");
}

function usesInMessage(value: unknown, type: DescMessage, path: string): MeshUse[] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, held]) => {
    const field = type.fields.find(({ name, jsonName }) => name === key || jsonName === key);
    if (field === undefined) return [];
    const fieldPath = path === "" ? field.name : `${path}.${field.name}`;
    if (field.fieldKind !== "list") return usesInField(held, field, fieldPath);
    return Array.isArray(held) ? held.flatMap((element, i) => usesInField(element, field, `${fieldPath}[${i}]`)) : [];
  });
}

function usesInField(value: unknown, field: DescField, path: string): MeshUse[] {
  if (field.message !== undefined) return usesInMessage(value, field.message, path);
  if (!getOption(field, names_asset)) return [];
  return typeof value === "string" && value !== "" && !value.startsWith("assets/") ? [{ field: path, fileName: value }] : [];
}

/** A file's name without its folders: a browser's files have none. */
export function baseName(path: string): string {
  return path.replace(/^.*[/\\]/, "");
}

/** The text with each mesh whose asset is known replaced by it; everything else, comments too, stays. */
export function withAssets(text: string, parsed: JsonText, assets: ReadonlyMap<string, string>): string {
  const edits = meshUses(parsed)
    .map(({ field, fileName }) => ({ span: parsed.spans.get(field), asset: assets.get(baseName(fileName)) }))
    .sort((a, b) => (b.span?.from ?? 0) - (a.span?.from ?? 0));
  let result = text;
  for (const { span, asset } of edits) {
    if (span !== undefined && asset !== undefined) result = `${result.slice(0, span.from)}${JSON.stringify(asset)}${result.slice(span.to)}`;
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
