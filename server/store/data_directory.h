// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/file.h"
#include "server/store/store_error.h"

namespace sluice::store {

/// The directory that holds everything a server knows, owned by one process at a time.
///
///   DATA/lock              flock(2)ed while a server runs; holds its process id in decimal
///   DATA/version           "1\n": the layout below
///   DATA/sluice.db         database.h
///   DATA/assets/           asset_store.h
///   DATA/sessions/<id>/frames/, checkpoints/    frame_log.h, checkpoint_log.h
///   DATA/trash/            deleted sessions on their way out
///
/// Made with mode 0700: scenes and frames are nobody else's business.
class DataDirectory {
 public:
  /// Creates what is missing and takes the lock. `locked`, naming the process that has it;
  /// `read_only`; `unsupported_version`; `disk_full`; `corrupt` if the path is something else.
  static Result<std::unique_ptr<DataDirectory>> open(const std::filesystem::path& root);

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path database_path() const { return root_ / "sluice.db"; }
  [[nodiscard]] std::filesystem::path assets_path() const { return root_ / "assets"; }
  [[nodiscard]] std::filesystem::path session_path(std::string_view id) const;
  [[nodiscard]] std::filesystem::path frames_path(std::string_view id) const;
  [[nodiscard]] std::filesystem::path checkpoints_path(std::string_view id) const;

  /// Makes the session's folders. An id is 1 to 63 of [a-z0-9-]; anything else is `not_found`.
  Status create_session(std::string_view id) const;

  /// Removes the session's folder with all in it, at once as far as anybody can see (a rename into
  /// trash/ first); one that is not there is fine.
  Status delete_session(std::string_view id) const;

  /// Names of folders in sessions/ that are not in `known`: left by a crash between folder and row.
  [[nodiscard]] Result<std::vector<std::string>> orphans(std::span<const std::string> known) const;

  /// [bytes] still free for this process on the file system.
  [[nodiscard]] Result<std::uint64_t> free_bytes() const;

 private:
  DataDirectory(std::filesystem::path root, File lock)
      : root_(std::move(root)), lock_(std::move(lock)) {}
  Status empty_trash() const;

  std::filesystem::path root_;
  File lock_;  // Holds the flock; it goes with the descriptor, so also with the process.
};

/// Whether `id` may name a session's folder: 1 to 63 of [a-z0-9-].
[[nodiscard]] bool is_session_id(std::string_view id);

}  // namespace sluice::store
