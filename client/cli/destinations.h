// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/command.h"

namespace sluice::cli {

/// Where a command puts what it makes; empty strings are not asked for.
struct Destinations {
  std::string frames{};         ///< Folder for the files of frames (`FrameExport`).
  std::string pictures{};       ///< Folder for `000012.png` and so on.
  std::string video{};          ///< File.
  std::string contact_sheet{};  ///< File.
};

/// Throws `CommandError` (usage) unless `folder` can be written to, or made. Makes nothing: a file
/// is made and removed in the nearest folder above that is there.
void require_writable_folder(const std::filesystem::path& folder);

/// Throws `CommandError` (usage) unless all of the destinations can be written.
void require_writable(const Destinations& destinations);

/// Files that a former run has left where this one writes.
struct OldOutput {
  std::vector<std::filesystem::path> files{};
  /// A line for each place: `'frames' has 22 files of 11 frames of a former run`.
  std::vector<std::string> in_words{};

  [[nodiscard]] bool empty() const { return files.empty(); }
};

/// Finds it: files whose names are as this program writes them, of frames from `first_index` on
/// (files that are not of one frame, such as `water.pvd`, when that is 0), the film and the sheet.
/// Nothing else in the folders counts, however near its name is.
[[nodiscard]] OldOutput find_old_output(const Destinations& destinations,
                                        std::int64_t first_index = 0);

/// Throws `CommandError` (usage), with how many there are, if there are any.
void refuse(const OldOutput& old);

/// Removes the files. Throws `CommandError` (failed) for one that stays.
void remove(const OldOutput& old);

/// `--overwrite`.
void add_overwrite_option(Command command, bool& overwrite);

/// A file name as `FrameExport` makes it, taken apart.
struct FrameFileName {
  std::string body;    ///< With `.surface` for a surface; `_all` for the series of everything.
  std::int64_t index;  ///< -1 for a series.
};

/// `water.surface_000012.vtp`, `water.pvd`; nothing for any other name.
[[nodiscard]] std::optional<FrameFileName> parse_frame_file_name(const std::string& name);

}  // namespace sluice::cli
