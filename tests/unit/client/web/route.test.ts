// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { addressOf, parseRoute, type Place } from "@viewer/page/route";
import { parseCamera } from "@viewer/view/camera_state";

function read(address: string): ReturnType<typeof parseRoute> {
  const [path = "", query = ""] = address.split("?");
  return parseRoute(path, query);
}

describe("an address", () => {
  test.each<Place>([
    {},
    { frame: 0 },
    { frame: 57, camera: { eye: [1.5, -2.25, 0.001234], target: [0, 0, -100] } },
    { plane: "yz", frame: 3 },
  ])("names a place in a session and is read back: %j", (place) => {
    expect(read(addressOf("s-12ab", place))).toEqual({ page: "session", id: "s-12ab", place });
  });

  test("is the list where it names nothing, and nothing where it names what cannot be", () => {
    expect(read("/")).toEqual({ page: "list" });
    expect(read("/sessions/")).toEqual({ page: "list" });
    expect(read("/sessions/../etc")).toEqual({ page: "missing", path: "/sessions/../etc" });
    expect(read("/sessions/No%20Such")).toEqual({ page: "missing", path: "/sessions/No%20Such" });
  });

  test("of a new session may name what it begins with", () => {
    expect(read("/new")).toEqual({ page: "new" });
    expect(read("/new?example=honey")).toEqual({ page: "new", example: "honey" });
    expect(read("/new?from=s-12ab")).toEqual({ page: "new", from: "s-12ab" });
  });

  test.each([
    // 10 cm, seen from 30 cm, 9 km from the origin: a tenth of a millimetre is a pixel's part.
    { eye: [9000.123456, -9000.234567, 8000.05], target: [9000, -9000, 8000] },
    { eye: [0.00213, -0.0041, 0.0085], target: [0, 0.0001, 0.004] },
    { eye: [200.0123, 200.0234, 100.0345], target: [200, 200, 100] },
  ] as const)("brings the same view back, however small or far it is: %j", (camera) => {
    const back = read(addressOf("s-1", { camera })) as { place: Place };
    const distance = Math.hypot(...camera.eye.map((x, i) => x - (camera.target[i] ?? 0)));
    [...camera.eye, ...camera.target].forEach((x, i) => {
      const read = [...(back.place.camera?.eye ?? []), ...(back.place.camera?.target ?? [])][i] ?? Number.NaN;
      expect(Math.abs(read - x)).toBeLessThan(1e-4 * distance);
    });
    expect(read(addressOf("s-1", back.place))).toEqual({ page: "session", id: "s-1", place: back.place });
  });

  test("ignores what it does not understand", () => {
    expect(read("/sessions/abcd?frame=-1&camera=1,2,3&view=zx")).toEqual({ page: "session", id: "abcd", place: {} });
    expect(read("/sessions/abcd?frame=1e99")).toEqual({ page: "session", id: "abcd", place: {} });
    expect(read("/sessions/abcd?frame=")).toMatchObject({ page: "session", place: {} });
  });
});

test.each(["", "1,2,3,4,5", "1,2,3,4,5,x", "1,2,3,1,2,3", "1,2,3,4,5,", "Infinity,2,3,4,5,6"])("%j is no camera", (text) => {
  expect(parseCamera(text)).toBeUndefined();
});
