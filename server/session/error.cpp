// SPDX-License-Identifier: Apache-2.0
#include "server/session/error.h"

#include <fmt/format.h>

#include <cassert>

namespace sluice::session {
namespace {

Error plain(ErrorKind kind, std::string message) {
  return {kind, std::move(message), {}, {}, std::nullopt, 0};
}

Error about(ErrorKind kind, std::string_view resource, std::string message) {
  return {kind, std::move(message), {}, std::string(resource), std::nullopt, 0};
}

}  // namespace

Error invalid_fields(std::vector<FieldViolation> violations, std::size_t untold_count) {
  assert(!violations.empty());
  const std::size_t count = violations.size() + untold_count;
  std::string message =
      count == 1 ? std::string() : fmt::format("{} fields are wrong; the first: ", count);
  message += violations.front().field.empty()
                 ? violations.front().description
                 : fmt::format("{}: {}", violations.front().field, violations.front().description);
  return {ErrorKind::invalid_argument,
          std::move(message),
          std::move(violations),
          {},
          std::nullopt,
          untold_count};
}

Error session_not_found(std::string_view name) {
  return about(ErrorKind::not_found, name, fmt::format("there is no session '{}'", name));
}

Error asset_not_found(std::string_view name) {
  return about(ErrorKind::not_found, name,
               fmt::format("there is no asset '{}': upload it with Assets.Write", name));
}

Error stream_not_found(std::string_view stream_id) {
  return plain(ErrorKind::not_found,
               fmt::format("no open stream has the id '{}': it ended, or was opened without "
                           "max_in_flight",
                           stream_id));
}

Error session_exists(std::string_view name) {
  return about(ErrorKind::already_exists, name,
               fmt::format("'{}' exists: choose another session_id", name));
}

Error request_id_reused(std::string_view request_id) {
  return plain(ErrorKind::already_exists,
               fmt::format("request_id '{}' was used for a session with another scene or other "
                           "options: use a new one",
                           request_id));
}

Error wrong_state(std::string_view name, std::string_view state, std::string_view allowed) {
  return about(ErrorKind::failed_precondition, name,
               fmt::format("'{}' is {}; this needs {}", name, state, allowed));
}

Error no_lease(std::string_view name) {
  return about(ErrorKind::failed_precondition, name,
               fmt::format("'{}' was created without a lease", name));
}

Error no_frames_yet(std::string_view name) {
  return about(ErrorKind::failed_precondition, name,
               fmt::format("'{}' has no frame yet: wait until frame_count is above 0", name));
}

Error frame_out_of_range(std::string_view name, std::int64_t index, std::int64_t first,
                         std::int64_t next) {
  if (first == next) {
    return about(ErrorKind::out_of_range, name,
                 fmt::format("frame {} of '{}' is not there: it has no frames", index, name));
  }
  return about(ErrorKind::out_of_range, name,
               fmt::format("frame {} of '{}' is not there: the first available is {}, the last {}",
                           index, name, first, next - 1));
}

Error epoch_out_of_range(std::string_view name, std::int64_t epoch, std::int64_t newest) {
  return about(ErrorKind::out_of_range, name,
               fmt::format("epoch {} of '{}' is not there: the newest is {}", epoch, name, newest));
}

Error limit_reached(std::string_view what, std::int64_t limit, std::string_view remedy) {
  return plain(ErrorKind::resource_exhausted,
               fmt::format("{} may be at most {}: {}", what, limit, remedy));
}

Error out_of_memory() {
  return plain(ErrorKind::resource_exhausted,
               "the server has not the memory for this call: ask for less, or try again later");
}

Error checks_busy() {
  Error error = plain(ErrorKind::resource_exhausted,
                      "too many scenes are waiting to be checked: try again in a moment");
  error.retry_after_ms = 2000;
  return error;
}

Error check_too_long(std::int64_t seconds) {
  return plain(ErrorKind::resource_exhausted,
               fmt::format("checking the scene took more than {} s: make it smaller", seconds));
}

Error server_stopping() {
  return {
      ErrorKind::unavailable, "the server is stopping: try again when it is back", {}, {}, 1000};
}

Error worker_lost(std::string_view name) {
  return {ErrorKind::unavailable,
          fmt::format("the worker of '{}' went away before it answered: try again", name),
          {},
          std::string(name),
          500};
}

Error bad_token() {
  return plain(ErrorKind::permission_denied, "this server did not start a worker with that token");
}

Error session_has_worker(std::string_view name) {
  return about(ErrorKind::aborted, name, fmt::format("another worker holds '{}'", name));
}

Error offset_past_upload(std::string_view asset, std::uint64_t offset,
                         std::uint64_t committed_bytes) {
  return about(
      ErrorKind::out_of_range, asset,
      fmt::format("offset {} is past the {} bytes of '{}' that are stored: go on from there",
                  offset, committed_bytes, asset));
}

Error row_damaged(std::string_view name) {
  return about(ErrorKind::data_loss, name, fmt::format("the row of '{}' is damaged", name));
}

Error command_damaged(std::int64_t sequence) {
  return plain(
      ErrorKind::data_loss,
      fmt::format("the recorded command {} is damaged: the run cannot be repeated", sequence));
}

Error scene_damaged(std::string_view name) {
  return about(ErrorKind::data_loss, name,
               fmt::format("the stored scene of '{}' is damaged", name));
}

Error internal_error(std::string_view what) {
  return plain(ErrorKind::internal, std::string(what));
}

Error from_store(const store::Error& error, std::string_view what) {
  const std::string message = fmt::format("{}: {}", what, error.message);
  switch (error.code) {
    case store::ErrorCode::not_found:
      return plain(ErrorKind::not_found, message);
    case store::ErrorCode::already_exists:
      return plain(ErrorKind::already_exists, message);
    case store::ErrorCode::disk_full:
    case store::ErrorCode::limit:
      return plain(ErrorKind::resource_exhausted, message);
    case store::ErrorCode::corrupt:
    case store::ErrorCode::mismatch:
      return plain(ErrorKind::data_loss, message);
    case store::ErrorCode::io_error:
    case store::ErrorCode::read_only:
    case store::ErrorCode::locked:
    case store::ErrorCode::unsupported_version:
      break;
  }
  return plain(ErrorKind::internal, message);
}

}  // namespace sluice::session
