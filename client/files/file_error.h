// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace sluice::files {

/// Why a file was not written.
enum class FileFault {
  not_written,    ///< The file system, or the program that writes the file, failed.
  other_content,  ///< A file with other content exists, which must not be replaced.
};

/// Thrown when a file or folder was not written. what() is a sentence for people.
class FileError : public std::runtime_error {
 public:
  explicit FileError(const std::string& message, FileFault fault = FileFault::not_written)
      : std::runtime_error(message), fault_(fault) {}
  [[nodiscard]] FileFault fault() const noexcept { return fault_; }

 private:
  FileFault fault_;
};

}  // namespace sluice::files
