// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace sluice::test {

/// A fresh directory that is removed with all in it at the end of the scope.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("mkdtemp: " + std::string(std::strerror(errno)));
    }
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A small file system in memory over a directory, while in scope; `mounted()` is false where this
/// user may not mount.
class SmallFileSystem {
 public:
  SmallFileSystem(std::filesystem::path directory, const std::string& size)
      : directory_(std::move(directory)),
        mounted_(::mount("none", directory_.c_str(), "tmpfs", 0, ("size=" + size).c_str()) == 0) {}
  ~SmallFileSystem() {
    if (mounted_) {
      ::umount2(directory_.c_str(), MNT_DETACH);
    }
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }

  /// Makes it read-only (or writable again); whether that worked.
  [[nodiscard]] bool set_read_only(bool read_only) const {
    const unsigned long read_only_flag = MS_RDONLY;
    const unsigned long flags = MS_REMOUNT | (read_only ? read_only_flag : 0UL);
    return ::mount("none", directory_.c_str(), "tmpfs", flags, nullptr) == 0;
  }

 private:
  std::filesystem::path directory_;
  bool mounted_;
};

}  // namespace sluice::test
