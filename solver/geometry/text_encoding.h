// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "solver/result.h"

/// Private to the mesh readers: what a file is before its first keyword.
namespace sluice::geometry::mesh_text {

/// The text without the byte order mark of UTF-8 that editors on Windows put before it.
/// Errors: `invalid_mesh` for UTF-16 and UTF-32, with a mark or without, by name and with the
/// remedy.
[[nodiscard]] Result<std::string_view> without_byte_order_mark(std::string_view bytes);

/// Whether bytes start like a file of another format that people take for a mesh.
[[nodiscard]] bool is_of_known_format(std::string_view bytes);

/// Tells how a file starts that is not of the expected format, for a message: "starts with
/// 'v 0 0 0', as an OBJ file does". Short, and printable whatever the file holds.
[[nodiscard]] std::string start_of(std::string_view bytes);

}  // namespace sluice::geometry::mesh_text
