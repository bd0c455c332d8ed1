// SPDX-License-Identifier: Apache-2.0
import type { JsonText } from "./json_text";

/** A mesh that a scene names by its file. */
export interface MeshUse {
  /** As `cloths[0].mesh`. */
  readonly field: string;
  readonly fileName: string;
}

/** The mesh files that a scene names; those that are assets already are not among them. */
export function meshUses({ value }: JsonText): MeshUse[] {
  return ["cloths", "soft_bodies", "rigid_bodies"].flatMap((kind) => {
    const bodies = isObject(value) && Array.isArray(value[kind]) ? (value[kind] as unknown[]) : [];
    return bodies.flatMap((body, i) => {
      const mesh = isObject(body) ? body["mesh"] : undefined;
      return typeof mesh === "string" && mesh !== "" && !mesh.startsWith("assets/") ? [{ field: `${kind}[${i}].mesh`, fileName: mesh }] : [];
    });
  });
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
