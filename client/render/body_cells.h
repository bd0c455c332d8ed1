// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sluice/v1/frames.pb.h"

namespace sluice::render {

/// The triangles of a body, three vertex indices each; empty for particles. Throws `client::Error`
/// for bytes that are no triangles of it.
[[nodiscard]] std::vector<std::int32_t> read_triangles(const v1::Body& body);

/// The same of its tetrahedra, four vertex indices each.
[[nodiscard]] std::vector<std::int32_t> read_tetrahedra(const v1::Body& body);

}  // namespace sluice::render
