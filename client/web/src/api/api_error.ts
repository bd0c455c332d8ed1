// SPDX-License-Identifier: Apache-2.0
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema } from "@viewer/gen/google/rpc/error_details_pb";

/** A field that the server refused. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** Whether the call may be repeated as it is: the server is away, not in disagreement. */
export function isTransient(error: unknown): boolean {
  const code = ConnectError.from(error).code;
  // A browser reports a refused or broken connection as a TypeError, which connect calls Unknown.
  return code === Code.Unavailable || code === Code.DeadlineExceeded || code === Code.Aborted ||
    (code === Code.Unknown && !(error instanceof ConnectError && error.cause === undefined));
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
