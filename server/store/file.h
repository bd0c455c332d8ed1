// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "server/store/shared_bytes.h"
#include "server/store/store_error.h"

namespace sluice::store {

/// An open file descriptor (closed on exec) and its path, with typed errors.
///
/// Reads and writes take an offset, so several threads may read one File while another one writes
/// behind the bytes that they read. Interrupted and short calls are repeated until done or failed.
class File {
 public:
  /// Opens `path` with open(2)'s `flags`; a new file gets `mode`.
  static Result<File> open(const std::filesystem::path& path, int flags, mode_t mode = 0600);

  /// Takes over `descriptor`; `path` is used for messages only.
  File(int descriptor, std::filesystem::path path);
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] Result<std::uint64_t> size() const;

  /// Fills `to` from `offset` on; `corrupt` if the file ends before.
  [[nodiscard]] Status read_at(std::uint64_t offset, std::span<std::byte> to) const;

  /// Writes `slices` one after the other from `offset` on. An error may leave some bytes written.
  [[nodiscard]] Status write_at(std::uint64_t offset, std::span<const ByteView> slices) const;

  [[nodiscard]] Status truncate(std::uint64_t size) const;
  [[nodiscard]] Status sync_data() const;  ///< fdatasync(2)

 private:
  int descriptor_;
  std::filesystem::path path_;
};

/// fsync(2) on a directory: makes creations, renames and removals in it durable.
[[nodiscard]] Status sync_directory(const std::filesystem::path& directory);

/// Creates `directory` (mode 0700, and its parents) unless it exists, and makes that durable.
[[nodiscard]] Status ensure_directory(const std::filesystem::path& directory);

/// Renames within a file system, replacing `to`, and makes it durable: a crash leaves the old name
/// or the new one.
[[nodiscard]] Status rename_durably(const std::filesystem::path& from,
                                    const std::filesystem::path& to);

/// Removes a file; it is no error if the file does not exist. Durable only after sync_directory.
[[nodiscard]] Status remove_file(const std::filesystem::path& path);

/// Reads the whole of a small file; `limit` if it is longer than `max_bytes`.
[[nodiscard]] Result<std::vector<std::byte>> read_whole_file(const std::filesystem::path& path,
                                                             std::uint64_t max_bytes);

/// Writes `bytes` to `path` so that a crash leaves the old file or the new one, never a mix.
[[nodiscard]] Status replace_file(const std::filesystem::path& path, ByteView bytes);

/// Returns the bytes that an unprivileged process may still write on the file system of `path`.
[[nodiscard]] Result<std::uint64_t> free_bytes(const std::filesystem::path& path);

/// Returns `disk_full` if writing `needed_bytes` would leave less than `reserve_bytes` free on the
/// file system of `path`.
[[nodiscard]] Status check_room(const std::filesystem::path& path, std::uint64_t needed_bytes,
                                std::uint64_t reserve_bytes);

}  // namespace sluice::store
