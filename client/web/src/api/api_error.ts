// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "@viewer/gen/google/rpc/error_details_pb";

/** A field that the server refused. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

const transientCodes: readonly Code[] = [Code.Unavailable, Code.DeadlineExceeded, Code.Aborted];
/** How browsers tell of a refused or broken connection: by a TypeError in their own words. */
const networkWords = /fetch|network|load failed|input stream|connection/i;
/** How connect tells of a stream that ended in the middle. */
const cutWords: readonly string[] = ["missing trailer", "protocol error: incomplete envelope"];

/** Whether the call may be repeated as it is: the server is away, not in disagreement. */
export function isTransient(error: unknown): boolean {
  const { code, cause, rawMessage } = ConnectError.from(error);
  return transientCodes.includes(code) || cutWords.includes(rawMessage) || (cause instanceof TypeError && networkWords.test(cause.message));
}

export function hasCode(error: unknown, code: Code): boolean {
  return ConnectError.from(error).code === code;
}

/** The error in the server's own words. */
export function messageOf(error: unknown): string {
  const failure = ConnectError.from(error);
  return isTransient(error) ? "The server cannot be reached." : failure.rawMessage;
}

/** The fields that an INVALID_ARGUMENT names. */
export function violationsOf(error: unknown): FieldViolation[] {
  return ConnectError.from(error)
    .findDetails(BadRequestSchema)
    .flatMap((detail) => detail.fieldViolations)
    .map(({ field, description }) => ({ field, description }));
}
