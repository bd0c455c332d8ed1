// SPDX-License-Identifier: Apache-2.0
#include "client/files/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "client/files/file_error.h"

namespace sluice::files {
namespace {

/// Whether a file is there whose bytes are not `content`.
bool has_other_content(const std::filesystem::path& path, std::string_view content) {
  std::ifstream file(path, std::ios::binary);
  return file &&
         !std::equal(std::istreambuf_iterator<char>(file), {}, content.begin(), content.end());
}

}  // namespace

void write_whole_file(const std::filesystem::path& path, std::string_view content,
                      OtherContent other) {
  if (other == OtherContent::refuse && has_other_content(path, content)) {
    throw FileError(fmt::format("'{}' is there and is of another run, or was written with other "
                                "options",
                                path.string()),
                    FileFault::other_content);
  }
  const std::string temporary =
      path.parent_path() / fmt::format(".{}.{}.part", path.filename().string(), ::getpid());
  const auto fail = [&](int error) {
    ::unlink(temporary.c_str());
    throw FileError(fmt::format("cannot write '{}': {}", path.string(), std::strerror(error)));
  };
  const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    fail(errno);
  }
  while (!content.empty()) {
    const ssize_t count = ::write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      const int error = errno;
      ::close(file);
      fail(error);
    }
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::close(file) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0) {
    fail(errno);
  }
}

void make_folder(const std::filesystem::path& path) {
  std::error_code failure;
  std::filesystem::create_directories(path, failure);
  if (failure) {
    throw FileError(
        fmt::format("cannot make the folder '{}': {}", path.string(), failure.message()));
  }
}

}  // namespace sluice::files
