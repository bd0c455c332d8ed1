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

/// The directory with all data of a server, locked by one process at a time.
///
///   DATA/lock              flock(2)ed while a server runs; holds its process id in decimal
///   DATA/version           "1\n", the version of this layout
///   DATA/sluice.db         database.h
///   DATA/assets/           asset_store.h
///   DATA/worker.sock       where workers connect, while a server runs (api/server.cpp)
///   DATA/sessions/<id>/frames/, checkpoints/    frame_log.h, checkpoint_log.h
///   DATA/sessions/<id>/session, standing, warnings    session_note.h
///   DATA/trash/<id>[~n]/   deleted sessions: a folder here means that its session is deleted
///   DATA/lost+found/       files that a start could not use; they are never read or removed again
///
/// Made with mode 0700, so that other users cannot read scenes and frames.
class DataDirectory {
 public:
  /// Creates missing parts and takes the lock. Errors: `locked`, with the process that has the
  /// lock; `read_only`; `unsupported_version`; `disk_full`; `io_error` if `root` is no directory.
  static Result<std::unique_ptr<DataDirectory>> open(const std::filesystem::path& root);

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  [[nodiscard]] std::filesystem::path database_path() const { return root_ / "sluice.db"; }
  [[nodiscard]] std::filesystem::path assets_path() const { return root_ / "assets"; }
  [[nodiscard]] std::filesystem::path session_path(std::string_view id) const;
  [[nodiscard]] std::filesystem::path frames_path(std::string_view id) const;
  [[nodiscard]] std::filesystem::path checkpoints_path(std::string_view id) const;

  /// Makes the session's folders. `not_found` unless `id` is 1 to 63 of [a-z0-9-].
  Status create_session(std::string_view id) const;

  /// Deletes the session durably and at once: moves its folder into trash/, where the files still
  /// take space. Returns the folder's new path, or an empty path if there was no folder. After an
  /// error the folder is where it was.
  [[nodiscard]] Result<std::filesystem::path> bury(std::string_view id) const;
  /// Removes the contents of a folder that `bury` returned, but not the folder itself, which still
  /// marks the session as deleted.
  Status empty_grave(const std::filesystem::path& grave) const;
  /// Lists the session ids of the folders in trash/.
  [[nodiscard]] Result<std::vector<std::string>> buried() const;
  /// Removes everything in trash/. Call it after the rows of the `buried` sessions are gone.
  Status empty_trash() const;

  /// Buries the session and removes its files; fine if it does not exist.
  Status delete_session(std::string_view id) const;

  /// Lists the ids of the folders in sessions/, in order. Other names there are left out.
  [[nodiscard]] Result<std::vector<std::string>> session_folders() const;
  /// Removes the session's folders if they hold no file. Returns whether they are gone.
  [[nodiscard]] bool remove_if_empty(std::string_view id) const;

  /// Moves those of `paths` that exist, durably, into a new folder `name` or `name`~n of
  /// lost+found/. Returns that folder.
  [[nodiscard]] Result<std::filesystem::path> set_aside(
      std::string_view name, std::span<const std::filesystem::path> paths) const;

  /// Returns the bytes that this process may still write on the file system.
  [[nodiscard]] Result<std::uint64_t> free_bytes() const;

 private:
  DataDirectory(std::filesystem::path root, File lock)
      : root_(std::move(root)), lock_(std::move(lock)) {}

  std::filesystem::path root_;
  File lock_;  // Holds the flock, which ends when the descriptor is closed or the process ends.
};

/// Whether `id` may name a session's folder: 1 to 63 of [a-z0-9-].
[[nodiscard]] bool is_session_id(std::string_view id);

}  // namespace sluice::store
