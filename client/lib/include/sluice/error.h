// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::client {

/// What went wrong, as the canonical status codes have it; the numbers are those of the wire.
enum class ErrorKind {
  cancelled = 1,
  unknown = 2,
  invalid_argument = 3,     ///< The request is wrong in itself: see `Error::violations`.
  deadline_exceeded = 4,    ///< No answer in time; the call may have had its effect.
  not_found = 5,            ///< No such session, asset or file.
  already_exists = 6,       ///< The name or request id is taken.
  permission_denied = 7,    ///< Not allowed.
  resource_exhausted = 8,   ///< A limit of the server is reached.
  failed_precondition = 9,  ///< Right in itself, but not in the state that the session is in.
  aborted = 10,             ///< Lost a race; try the whole again.
  out_of_range = 11,        ///< A cursor or offset where nothing is.
  unimplemented = 12,       ///< The server is too old for this call.
  internal = 13,            ///< A bug of the server.
  unavailable = 14,         ///< Not reachable, or stopping; try again.
  data_loss = 15,           ///< Bytes arrived that cannot be what was sent.
  unauthenticated = 16,     ///< Who is calling was not said.
};

/// A field of a request that was refused.
struct FieldViolation {
  std::string field;        ///< Path from the request's root, as `scene.cloths[0].mesh`.
  std::string description;  ///< What was found and what is allowed.
};

/// The one exception of this library. `what()` is a sentence for people and never empty.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::vector<FieldViolation> violations = {});

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }

  /// Every field that was refused; empty for errors that are not about fields.
  [[nodiscard]] const std::vector<FieldViolation>& violations() const noexcept {
    return violations_;
  }

 private:
  ErrorKind kind_;
  std::vector<FieldViolation> violations_;
};

}  // namespace sluice::client
