// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { isTransient, messageOf, violationsOf } from "@viewer/api/api_error";
import { BadRequestSchema } from "@viewer/gen/google/rpc/error_details_pb";

describe("an error of the API", () => {
  test("is transient where the same call may succeed later", () => {
    expect(isTransient(new ConnectError("stopping", Code.Unavailable))).toBe(true);
    expect(isTransient(new TypeError("Failed to fetch"))).toBe(true);
    expect(isTransient(new ConnectError("no such session", Code.NotFound))).toBe(false);
    expect(isTransient(new ConnectError("a bug", Code.Internal))).toBe(false);
  });

  test("tells the server's own words, and says when there is no server", () => {
    expect(messageOf(new ConnectError("no session 'sessions/x'", Code.NotFound))).toBe("no session 'sessions/x'");
    expect(messageOf(new TypeError("Failed to fetch"))).toBe("The server cannot be reached.");
  });

  test("names the fields that were refused", () => {
    const field = "scene.cloths[0].pins[1].vertices";
    const error = new ConnectError("bad scene", Code.InvalidArgument, undefined, [
      { desc: BadRequestSchema, value: { fieldViolations: [{ field, description: "is empty" }] } },
    ]);
    expect(violationsOf(error)).toEqual([{ field, description: "is empty" }]);
  });
});
