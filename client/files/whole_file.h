// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

namespace sluice::files {

/// Whether an existing file with other content is replaced, or makes writing fail.
enum class OtherContent { replace, refuse };

/// Writes a file under another name and renames it, so that a reader of the folder never sees a
/// half-written file. Throws `FileError` if the file cannot be written, or if another content is
/// there and `other` is `refuse`.
void write_whole_file(const std::filesystem::path& path, std::string_view content,
                      OtherContent other = OtherContent::replace);

/// Makes a folder and its missing parent folders. Throws `FileError`.
void make_folder(const std::filesystem::path& path);

}  // namespace sluice::files
