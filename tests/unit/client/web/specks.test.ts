// SPDX-License-Identifier: Apache-2.0
import { Sphere, Vector3 } from "three";
import { expect, test } from "vitest";
import { speckNear } from "@viewer/view/specks";

const eye = new Vector3(0, -100, 0);
const at = (x: number): Vector3 => new Vector3(x, 100, 0).normalize();
/** A picture of 700 pixels: at 100 m a pixel is 14 cm. */
const pixels = 700;
const fly = new Sphere(new Vector3(0, 0, 0), 0.005);

test("a pointer within some pixels of a speck means it", () => {
  expect(speckNear([fly], eye, at(0.07), pixels)).toEqual(fly.center);
  expect(speckNear([fly], eye, at(1.2), pixels)).toEqual(fly.center);
  expect(speckNear([fly], eye, at(3), pixels)).toBeUndefined();
});

test("of two the nearer to the pointer is meant; what is behind the eye, or large enough to be pointed at, is not", () => {
  const other = new Sphere(new Vector3(0.5, 0, 0), 0.005);
  expect(speckNear([fly, other], eye, at(0.4), pixels)).toEqual(other.center);
  expect(speckNear([new Sphere(new Vector3(0, -200, 0), 0.005)], eye, at(0), pixels)).toBeUndefined();
  expect(speckNear([new Sphere(new Vector3(0, 0, 0), 1)], eye, at(0), pixels)).toBeUndefined();
});
