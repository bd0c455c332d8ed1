// SPDX-License-Identifier: Apache-2.0
import { Vector3 } from "three";
import { describe, expect, test } from "vitest";
import { create } from "@bufbuild/protobuf";
import { Carried, GasSchema } from "@viewer/gen/sluice/v1/scene_pb";
import { steerDefaults } from "@viewer/steer/steer_settings";
import { Stroke, type StrokePart } from "@viewer/steer/stroke";
import { strokeCommand } from "@viewer/steer/stroke_command";

const at = (x: number): Vector3 => new Vector3(x, 0, 0);

describe("a stroke", () => {
  test("has no gaps: what the hand moved while a part was on its way is one", () => {
    const stroke = new Stroke(at(0), 10);
    expect(stroke.hasMore).toBe(false);
    stroke.moveTo(at(0.1), 10.01);
    stroke.moveTo(at(0.3), 10.02);
    const first = stroke.take();
    expect([first.from.x, first.to.x]).toEqual([0, 0.3]);
    expect(first.velocity.x).toBeCloseTo(15);
    expect(stroke.hasMore).toBe(false);
    stroke.moveTo(at(0.4), 10.04);
    const second = stroke.take();
    expect([second.from.x, second.to.x]).toEqual([0.3, 0.4]);
    expect(second.velocity.x).toBeCloseTo(5);
  });

  test("is a dot where the hand rests", () => {
    const stroke = new Stroke(at(2), 0);
    const { from, to, velocity } = stroke.take();
    expect([from.x, to.x, velocity.length()]).toEqual([2, 2, 0]);
  });

  test("is as fast after a rest as the hand is then, and never of endless speed", () => {
    const stroke = new Stroke(at(0), 0);
    stroke.moveTo(at(0.1), 5);
    expect(stroke.take().velocity.x).toBeCloseTo(3);
    stroke.moveTo(at(0.2), 5);
    expect(stroke.take().velocity.x).toBeCloseTo(24);
  });
});

describe("what a stroke does to a gas", () => {
  const moving: StrokePart = { from: at(0), to: at(1), velocity: at(3) };
  const resting: StrokePart = { from: at(1), to: at(1), velocity: at(0) };
  const settings = { ...steerDefaults(1), paintStrength: 2, paintColour: "#ff0000", paintRadius: 0.1 };
  const contentOf = (part: StrokePart, carries: Carried[], changed: Partial<typeof settings> = {}): unknown => {
    const command = strokeCommand(part, create(GasSchema, { name: "air", carries }), { ...settings, ...changed });
    return command?.case === "strokeGas" ? command.value.content : undefined;
  };

  test("is told from where to where, and how far around", () => {
    const command = strokeCommand(moving, create(GasSchema, { name: "air" }), settings);
    expect(command).toMatchObject({ case: "strokeGas", value: { from: [0, 0, 0], to: [1, 0, 0], radius: 0.1 } });
  });

  test("is wind by the hand's motion, and what the gas carries: smoke, where the scene says nothing", () => {
    expect(contentOf(moving, [Carried.DYE])).toEqual({ velocity: [6, 0, 0], dye: [1, 0, 0] });
    expect(contentOf(moving, [])).toEqual({ velocity: [6, 0, 0], smoke: 1 });
    expect(contentOf(moving, [Carried.TEMPERATURE])).toEqual({ velocity: [6, 0, 0] });
    expect(contentOf(moving, [Carried.SMOKE, Carried.DYE], { paintsSmoke: false, paintStrength: 0 })).toEqual({ dye: [1, 0, 0] });
  });

  test("has the dye in linear light", () => {
    const [red = 0] = (contentOf(resting, [Carried.DYE], { paintColour: "#bc0000" }) as { dye: number[] }).dye;
    expect(red).toBeCloseTo(0.5, 2);
  });

  test("stops no gas where the hand rests, and is nothing where nothing is painted", () => {
    expect(contentOf(resting, [Carried.DYE])).toEqual({ dye: [1, 0, 0] });
    expect(contentOf(resting, [Carried.DYE], { paintsDye: false })).toBeUndefined();
  });

  test("is no faster than the API allows", () => {
    const content = contentOf({ ...moving, velocity: at(1e6) }, []) as { velocity: number[] };
    expect(content.velocity[0]).toBeCloseTo(1000);
  });
});
