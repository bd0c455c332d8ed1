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
///   DATA/sessions/<id>/session, standing        session_note.h
///   DATA/trash/<id>[~n]/   deleted sessions on their way out: being there is what says so
///   DATA/lost+found/       what a start could not use; nothing here is read or removed again
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

  /// Deletes the session, durably and at once as far as anybody can see: its folder goes into
  /// trash/, the new path of which is the answer; empty if there was none. After an error it is
  /// where it was.
  [[nodiscard]] Result<std::filesystem::path> bury(std::string_view id) const;
  /// Removes what is in a folder that `bury` named, but not the folder, which still says that the
  /// session was deleted.
  Status empty_grave(const std::filesystem::path& grave) const;
  /// Ids of the folders in trash/.
  [[nodiscard]] Result<std::vector<std::string>> buried() const;
  /// Removes everything in trash/. After the rows of `buried` are gone.
  Status empty_trash() const;

  /// `bury`, and nothing is left; one that is not there is fine.
  Status delete_session(std::string_view id) const;

  /// Names of the sessions that have a folder, in order. Whatever else lies in sessions/ is none.
  [[nodiscard]] Result<std::vector<std::string>> session_folders() const;
  /// Removes the session's folders if there is no file in them; whether they are gone.
  [[nodiscard]] bool remove_if_empty(std::string_view id) const;

  /// Moves `paths`, those that are there, into a new folder of lost+found/ that is called `name` or
  /// `name`~n, durably; the answer is that folder.
  [[nodiscard]] Result<std::filesystem::path> set_aside(
      std::string_view name, std::span<const std::filesystem::path> paths) const;

  /// [bytes] still free for this process on the file system.
  [[nodiscard]] Result<std::uint64_t> free_bytes() const;

 private:
  DataDirectory(std::filesystem::path root, File lock)
      : root_(std::move(root)), lock_(std::move(lock)) {}

  std::filesystem::path root_;
  File lock_;  // Holds the flock; it goes with the descriptor, so also with the process.
};

/// Whether `id` may name a session's folder: 1 to 63 of [a-z0-9-].
[[nodiscard]] bool is_session_id(std::string_view id);

}  // namespace sluice::store
