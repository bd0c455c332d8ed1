// SPDX-License-Identifier: Apache-2.0
#include "server/store/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace sluice::store {

Result<File> File::open(const std::filesystem::path& path, int flags, mode_t mode) {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) {
    return errno_error(errno, "open", path);
  }
  return File(descriptor, path);
}

File::File(int descriptor, std::filesystem::path path)
    : descriptor_(descriptor), path_(std::move(path)) {}

File::File(File&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

File::~File() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Result<std::uint64_t> File::size() const {
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) {
    return errno_error(errno, "read the size of", path_);
  }
  return static_cast<std::uint64_t>(status.st_size);
}

Status File::read_at(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count = ::pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno_error(errno, "read", path_);
    }
    if (count == 0) {
      return Error{ErrorCode::corrupt, fmt::format("{} ends at byte {}, {} bytes short",
                                                   path_.string(), offset, to.size())};
    }
    offset += static_cast<std::uint64_t>(count);
    to = to.subspan(static_cast<std::size_t>(count));
  }
  return ok();
}

Status File::write_at(std::uint64_t offset, std::span<const ByteView> slices) const {
  std::vector<iovec> pieces;
  pieces.reserve(slices.size());
  for (const ByteView slice : slices) {
    if (!slice.empty()) {
      // writev takes a mutable pointer for historical reasons and does not write through it.
      pieces.push_back({const_cast<std::byte*>(slice.data()), slice.size()});
    }
  }
  std::size_t next = 0;
  while (next < pieces.size()) {
    const auto batch = static_cast<int>(std::min<std::size_t>(pieces.size() - next, IOV_MAX));
    const ssize_t count =
        ::pwritev(descriptor_, pieces.data() + next, batch, static_cast<off_t>(offset));
    if (count < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno_error(errno, "write", path_);
    }
    offset += static_cast<std::uint64_t>(count);
    auto written = static_cast<std::size_t>(count);
    while (next < pieces.size() && written >= pieces[next].iov_len) {
      written -= pieces[next].iov_len;
      ++next;
    }
    if (written > 0) {
      pieces[next].iov_base = static_cast<std::byte*>(pieces[next].iov_base) + written;
      pieces[next].iov_len -= written;
    }
  }
  return ok();
}

Status File::truncate(std::uint64_t size) const {
  while (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    if (errno != EINTR) {
      return errno_error(errno, "shorten", path_);
    }
  }
  return ok();
}

Status File::sync_data() const {
  while (::fdatasync(descriptor_) != 0) {
    if (errno != EINTR) {
      return errno_error(errno, "write to disk", path_);
    }
  }
  return ok();
}

Status sync_directory(const std::filesystem::path& directory) {
  const auto file = File::open(directory, O_RDONLY | O_DIRECTORY);
  if (!file) {
    return file.error();
  }
  while (::fsync(file->descriptor()) != 0) {
    if (errno != EINTR) {
      return errno_error(errno, "write to disk", directory);
    }
  }
  return ok();
}

Status ensure_directory(const std::filesystem::path& directory) {
  if (::mkdir(directory.c_str(), 0700) == 0) {
    return sync_directory(directory.has_parent_path() ? directory.parent_path() : ".");
  }
  if (errno == ENOENT && directory.has_parent_path() && directory.parent_path() != directory) {
    if (auto parent = ensure_directory(directory.parent_path()); !parent) {
      return parent;
    }
    if (::mkdir(directory.c_str(), 0700) == 0) {
      return sync_directory(directory.parent_path());
    }
  }
  const int error_number = errno;
  struct stat status{};
  if (error_number == EEXIST && ::stat(directory.c_str(), &status) == 0 &&
      S_ISDIR(status.st_mode)) {
    return ok();
  }
  return errno_error(error_number == EEXIST ? ENOTDIR : error_number, "create directory",
                     directory);
}

Status rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    return errno_error(errno, "rename a file to", to);
  }
  return sync_directory(to.parent_path());
}

Status remove_file(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return errno_error(errno, "remove", path);
  }
  return ok();
}

Result<std::vector<std::byte>> read_whole_file(const std::filesystem::path& path,
                                               std::uint64_t max_bytes) {
  const auto file = File::open(path, O_RDONLY);
  if (!file) {
    return file.error();
  }
  const auto size = file->size();
  if (!size) {
    return size.error();
  }
  if (*size > max_bytes) {
    return Error{ErrorCode::limit,
                 fmt::format("{} has {} bytes, more than {}", path.string(), *size, max_bytes)};
  }
  std::vector<std::byte> bytes(*size);
  if (auto read = file->read_at(0, bytes); !read) {
    return read.error();
  }
  return bytes;
}

Status replace_file(const std::filesystem::path& path, ByteView bytes) {
  std::filesystem::path temporary = path;
  temporary += ".new";
  auto written = [&]() -> Status {
    const auto file = File::open(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file) {
      return file.error();
    }
    if (auto status = file->write_at(0, std::span(&bytes, 1)); !status) {
      return status;
    }
    return file->sync_data();
  }();
  if (written) {
    written = rename_durably(temporary, path);
  }
  if (!written) {
    // The first error is the one worth telling; a leftover is overwritten by the next attempt.
    (void)remove_file(temporary);
  }
  return written;
}

Result<std::uint64_t> free_bytes(const std::filesystem::path& path) {
  struct statvfs status{};
  if (::statvfs(path.c_str(), &status) != 0) {
    return errno_error(errno, "ask for the free space of", path);
  }
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

Status check_room(const std::filesystem::path& path, std::uint64_t needed_bytes,
                  std::uint64_t reserve_bytes) {
  const auto free = free_bytes(path);
  if (!free) {
    return free.error();
  }
  if (*free < needed_bytes || *free - needed_bytes < reserve_bytes) {
    return Error{
        ErrorCode::disk_full,
        fmt::format("no room in {}: {} bytes are free, {} are needed and {} kept in reserve",
                    path.string(), *free, needed_bytes, reserve_bytes)};
  }
  return ok();
}

}  // namespace sluice::store
