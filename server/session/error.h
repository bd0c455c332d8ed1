// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "proto/wire/expected.h"
#include "server/store/store_error.h"

namespace sluice::session {

/// The kind of an error: what a client should do about it. api/status.h makes the gRPC code.
enum class ErrorKind {
  invalid_argument,     ///< Change the request.
  not_found,            ///< Nothing has that name.
  already_exists,       ///< Choose another name.
  failed_precondition,  ///< Bring the session into another state first.
  out_of_range,         ///< The cursor is gone or not there yet.
  resource_exhausted,   ///< A limit is reached: free something.
  unavailable,          ///< Repeat the call.
  data_loss,            ///< Stored or received bytes are damaged.
  permission_denied,    ///< A token is wrong.
  aborted,              ///< Another caller was first: start again from the beginning.
  internal,             ///< The server itself failed.
};

/// A field of the request that is wrong.
struct FieldViolation {
  std::string field;        ///< The field's path, for example `scene.cloths[0].mesh`.
  std::string description;  ///< Says what was given and what is allowed.
};

struct Error {
  ErrorKind kind;
  std::string message;  ///< Never empty.
  std::vector<FieldViolation> violations;
  std::string resource_name;  ///< The resource it is about, as `sessions/x`; empty if none.
  std::optional<std::int64_t> retry_after_ms;
  std::size_t untold_count = 0;  ///< Number of wrong fields that are not in `violations`.
};

/// A value or an Error.
template <typename T>
using Result = Expected<T, Error>;
using Status = Result<std::monostate>;
[[nodiscard]] inline Status ok() { return std::monostate{}; }

// Each error is made by one function, so that its words stand in one place.
/// `untold_count`: number of further violations that were not kept.
[[nodiscard]] Error invalid_fields(std::vector<FieldViolation> violations,
                                   std::size_t untold_count = 0);
[[nodiscard]] Error session_not_found(std::string_view name);
[[nodiscard]] Error asset_not_found(std::string_view name);
[[nodiscard]] Error stream_not_found(std::string_view stream_id);
[[nodiscard]] Error session_exists(std::string_view name);
[[nodiscard]] Error request_id_reused(std::string_view request_id);
[[nodiscard]] Error wrong_state(std::string_view name, std::string_view state,
                                std::string_view allowed);
[[nodiscard]] Error no_lease(std::string_view name);
[[nodiscard]] Error no_frames_yet(std::string_view name);
[[nodiscard]] Error frame_out_of_range(std::string_view name, std::int64_t index,
                                       std::int64_t first, std::int64_t next);
[[nodiscard]] Error epoch_out_of_range(std::string_view name, std::int64_t epoch,
                                       std::int64_t newest);
[[nodiscard]] Error limit_reached(std::string_view what, std::int64_t limit,
                                  std::string_view remedy);
[[nodiscard]] Error out_of_memory();
/// Makes the error for a scene while too many others wait to be checked.
[[nodiscard]] Error checks_busy();
[[nodiscard]] Error check_too_long(std::int64_t seconds);
[[nodiscard]] Error server_stopping();
[[nodiscard]] Error worker_lost(std::string_view name);
[[nodiscard]] Error bad_token();
[[nodiscard]] Error session_has_worker(std::string_view name);
[[nodiscard]] Error offset_past_upload(std::string_view asset, std::uint64_t offset,
                                       std::uint64_t committed_bytes);
[[nodiscard]] Error row_damaged(std::string_view name);
[[nodiscard]] Error scene_damaged(std::string_view name);
[[nodiscard]] Error command_damaged(std::int64_t sequence);
[[nodiscard]] Error internal_error(std::string_view what);
/// Makes the client's error for a failure of the store in the action `what`.
[[nodiscard]] Error from_store(const store::Error& error, std::string_view what);

}  // namespace sluice::session
