// SPDX-License-Identifier: Apache-2.0
import { toJson, type JsonValue } from "@bufbuild/protobuf";
import { SceneSchema, type Scene } from "@viewer/gen/sluice/v1/scene_pb";

/** A value that takes less than this is written on one line, as people write their scenes. */
const lineLength = 100;

/** A scene as JSON text that a person can read and change; the server reads it back as the same scene. */
export function sceneText(scene: Scene): string {
  return `${write(toJson(SceneSchema, scene, { useProtoFieldName: true }), "")}\n`;
}

function write(value: JsonValue, indent: string): string {
  const line = onOneLine(value);
  if (value === null || typeof value !== "object" || (indent !== "" && indent.length + line.length < lineLength)) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => write(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${write(item, inner)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return parts.length === 0 ? `${open ?? ""}${close ?? ""}` : `${open ?? ""}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close ?? ""}`;
}

function onOneLine(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  return `{${Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${onOneLine(item)}`).join(", ")}}`;
}
