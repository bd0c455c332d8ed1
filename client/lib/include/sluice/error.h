// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::client {

/// The kind of an error: gRPC's canonical status codes, with the numbers that they have there.
enum class ErrorKind {
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,     ///< The request is wrong in itself: see `Error::violations`.
  deadline_exceeded = 4,    ///< No answer came in time; the call may have had its effect.
  not_found = 5,            ///< No such session, asset or file.
  already_exists = 6,       ///< The name or request id is taken.
  permission_denied = 7,    ///< Not allowed.
  resource_exhausted = 8,   ///< A limit of the server is reached.
  failed_precondition = 9,  ///< The session's state does not allow the request.
  aborted = 10,             ///< Another caller was first; start again from the beginning.
  out_of_range = 11,        ///< No data exists at this cursor or offset.
  unimplemented = 12,       ///< The server is too old for this call.
  internal = 13,            ///< A bug of the server.
  unavailable = 14,         ///< The server is not reachable, or stopping; try again.
  data_loss = 15,           ///< Stored or received bytes are damaged.
  unauthenticated = 16,     ///< The caller did not identify itself.
};

/// A field of a request that was refused.
struct FieldViolation {
  std::string field;        ///< Path from the request's root, for example `scene.cloths[0].mesh`.
  std::string description;  ///< Says what was found and what is allowed.
};

/// The only exception that this library throws. `what()` is a sentence for people, never empty.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::vector<FieldViolation> violations = {});

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

  /// The fields that were refused; empty for errors that are not about fields.
  [[nodiscard]] const std::vector<FieldViolation>& violations() const noexcept {
    return violations_;
  }

 private:
  ErrorKind kind_;
  std::vector<FieldViolation> violations_;
};

}  // namespace sluice::client
