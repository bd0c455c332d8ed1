// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { JsonSyntaxError, parseJsonText, spanOf } from "@viewer/scene/json_text";
import { meshUses, withAssets } from "@viewer/scene/mesh_names";

const scene = `// A curtain.
{
  "name": "curtain", /* with // both kinds */
  "fluidGrid": {"cell_size": 2e-2},
  "cloths": [
    {"name": "left", "mesh": "meshes/left.obj"},
    {"name": "right", "mesh": "assets/${"0".repeat(64)}", "pins": [{"vertices": [1, 2,]},]},
  ],
}
`;

describe("a scene's text", () => {
  test("is read as JSON.parse reads it, comments and trailing commas aside", () => {
    const plain = scene.replace(/\/\/ A curtain\.|\/\* .* \*\//g, "").replace(/,(\s*[\]}])/g, "$1");
    expect(parseJsonText(scene).value).toEqual(JSON.parse(plain));
  });

  test("says where each field stands", () => {
    const parsed = parseJsonText(scene);
    const textAt = (field: string): string => {
      const { from, to } = spanOf(parsed, field);
      return scene.slice(from, to);
    };
    expect(textAt("cloths[0].mesh")).toBe('"meshes/left.obj"');
    expect(textAt("cloths[1].pins[0].vertices")).toBe("[1, 2,]");
    expect(textAt("name")).toBe('"curtain"');
  });

  test("places a field that is not there at what it should be in, in either spelling", () => {
    const parsed = parseJsonText(scene);
    expect(spanOf(parsed, "cloths[0].area_density")).toEqual(spanOf(parsed, "cloths[0]"));
    expect(spanOf(parsed, "domain.lower")).toEqual(spanOf(parsed, ""));
    const { from, to } = spanOf(parsed, "fluid_grid.cell_size");
    expect(scene.slice(from, to)).toBe("2e-2");
  });

  test.each([
    ["{", 1, /text ends/],
    ['{"a" 1}', 5, /colon/],
    ['{"a": 01}', 7, /comma or }/],
    ["[1 2]", 3, /comma or ]/],
    ['{"a": nothing}', 6, /a value/],
    ["{} x", 3, /nothing may follow/],
    ['["\\q"]', 1, /bad escape/],
    ['{"a": 1, "b": 2, "a": 3}', 17, /"a" is given twice/],
    ["[".repeat(500), 201, /too deeply/],
  ])("refuses %j at character %i", (text, at, message) => {
    const attempt = (): unknown => parseJsonText(text);
    expect(attempt).toThrow(JsonSyntaxError);
    expect(attempt).toThrow(message);
    try {
      attempt();
    } catch (error) {
      expect((error as JsonSyntaxError).at).toBe(at);
    }
  });
});

describe("the meshes of a scene", () => {
  test("are those that are named by files", () => {
    expect(meshUses(parseJsonText(scene))).toEqual([{ field: "cloths[0].mesh", fileName: "meshes/left.obj" }]);
  });

  test("are those of every kind of body, in either spelling of its field", () => {
    const text = '{"softBodies": [{"mesh": "jelly.msh"}, {"shape": {}}], "rigid_bodies": [{"mesh": "box.stl"}], "name": "mesh", "mesh": "no.obj"}';
    expect(meshUses(parseJsonText(text))).toEqual([
      { field: "soft_bodies[0].mesh", fileName: "jelly.msh" },
      { field: "rigid_bodies[0].mesh", fileName: "box.stl" },
    ]);
  });

  test("are replaced by assets and nothing else is touched", () => {
    const asset = `assets/${"a".repeat(64)}`;
    const replaced = withAssets(scene, parseJsonText(scene), new Map([["left.obj", asset]]));
    expect(replaced).toBe(scene.replace("meshes/left.obj", asset));
  });

  test("stay where the file is not here", () => {
    expect(withAssets(scene, parseJsonText(scene), new Map())).toBe(scene);
  });
});
