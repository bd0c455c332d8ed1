// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace sluice::files {

/// What becomes of a file that is there already, with other content.
enum class OtherContent { replace, refuse };

/// Writes a file under another name and renames it, so that whoever reads the folder meanwhile
/// never sees half of one. Throws `FileError` when it cannot be written, and for other content that
/// is to be refused.
void write_whole_file(const std::filesystem::path& path, std::string_view content,
                      OtherContent other = OtherContent::replace);

/// Makes a folder with all above it. Throws `FileError`.
void make_folder(const std::filesystem::path& path);

}  // namespace sluice::files
