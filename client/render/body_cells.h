// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/v1/frames.pb.h"

namespace sluice::render {

/// Decodes the triangles of a body, three vertex indices each; none for particles. Throws
/// `client::Error` if the bytes are no triangles of its vertices.
[[nodiscard]] std::vector<std::int32_t> read_triangles(const v1::Body& body);

/// Decodes the tetrahedra of a body in the same way, four vertex indices each.
[[nodiscard]] std::vector<std::int32_t> read_tetrahedra(const v1::Body& body);

}  // namespace sluice::render
