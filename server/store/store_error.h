// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

#include "proto/wire/expected.h"

namespace sluice::store {

/// The errors that callers tell apart. After any of them the store is as it was before the call.
enum class ErrorCode {
  not_found,            ///< No such session, record, asset or upload.
  already_exists,       ///< The name, the request id or the record is taken.
  disk_full,            ///< ENOSPC, EDQUOT, or less free than the reserve. Free space, then repeat.
  io_error,             ///< The device or the system refused: EIO, EMFILE and the like.
  read_only,            ///< EROFS, EACCES, EPERM: the data directory cannot be written.
  locked,               ///< Another process holds the data directory or the database.
  corrupt,              ///< Stored bytes fail their checksum or their format.
  mismatch,             ///< Bytes differ from what was stored or promised under the same name.
  limit,                ///< A configured limit, or the system's file-size limit (EFBIG).
  unsupported_version,  ///< Written by a newer Sluice.
};

/// Returns the name of `code` as written above, for logs.
[[nodiscard]] std::string_view to_string(ErrorCode code) noexcept;

/// An error with words for the operator: the action, the path, and the system's message.
struct Error {
  ErrorCode code;
  std::string message;
};

/// Makes the Error for a failed system call: "cannot <action> <path>: <text of error_number>".
[[nodiscard]] Error errno_error(int error_number, std::string_view action,
                                const std::filesystem::path& path);

/// A value or an Error.
template <typename T>
using Result = Expected<T, Error>;

/// Success, or an Error.
using Status = Result<std::monostate>;

/// Returns the Status of success.
[[nodiscard]] inline Status ok() { return std::monostate{}; }

}  // namespace sluice::store
