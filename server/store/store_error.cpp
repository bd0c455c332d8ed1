// SPDX-License-Identifier: Apache-2.0
#include "server/store/store_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace sluice::store {
namespace {

ErrorCode code_of(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return ErrorCode::disk_full;
    case EROFS:
    case EACCES:
    case EPERM:
      return ErrorCode::read_only;
    case ENOENT:
      return ErrorCode::not_found;
    case EEXIST:
      return ErrorCode::already_exists;
    case EFBIG:
      return ErrorCode::limit;
    default:
      return ErrorCode::io_error;
  }
}

}  // namespace

std::string_view to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::already_exists:
      return "already_exists";
    case ErrorCode::disk_full:
      return "disk_full";
    case ErrorCode::io_error:
      return "io_error";
    case ErrorCode::read_only:
      return "read_only";
    case ErrorCode::locked:
      return "locked";
    case ErrorCode::corrupt:
      return "corrupt";
    case ErrorCode::mismatch:
      return "mismatch";
    case ErrorCode::limit:
      return "limit";
    case ErrorCode::unsupported_version:
      return "unsupported_version";
  }
  return "unknown";
}

Error errno_error(int error_number, std::string_view action, const std::filesystem::path& path) {
  // generic_category().message is strerror_r: safe from any thread.
  return {code_of(error_number), fmt::format("cannot {} {}: {}", action, path.string(),
                                             std::generic_category().message(error_number))};
}

}  // namespace sluice::store
