// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace sluice::files {

/// Why a file is not there as it should be.
enum class FileFault {
  not_written,    ///< The file system, or the program that writes it, says so.
  other_content,  ///< A file with other content is there, which was not to be replaced.
};

/// A file or folder that was not written. what() is a sentence for people.
class FileError : public std::runtime_error {
 public:
  explicit FileError(const std::string& message, FileFault fault = FileFault::not_written)
      : std::runtime_error(message), fault_(fault) {}
  [[nodiscard]] FileFault fault() const noexcept { return fault_; }

 private:
  FileFault fault_;
};

}  // namespace sluice::files
