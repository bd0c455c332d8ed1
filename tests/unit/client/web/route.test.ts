// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from "vitest";
import { addressOf, parseRoute, type Place } from "@viewer/app/route";
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

  test("is the list where it names nothing", () => {
    expect(read("/")).toEqual({ page: "list" });
    expect(read("/sessions/")).toEqual({ page: "list" });
    expect(read("/sessions/../etc")).toEqual({ page: "list" });
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
