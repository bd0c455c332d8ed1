// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sluice/frame.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::render {

/// Where the cells of a body are: rows of its arrays, first along x, then y, then z.
struct CellLattice {
  std::array<std::int32_t, 3> counts;  ///< Along x, y and z, at least 1.
  std::array<double, 3> lower;         ///< The first one's corner, in metres.
  std::array<double, 3> edges;         ///< Of a cell, in metres, above 0.

  [[nodiscard]] std::size_t cell_count() const;
};

/// The lattice of a body of cells. Throws `client::Error` for one that does not fit the body.
[[nodiscard]] CellLattice read_lattice(const v1::Body& body);

/// Whether `array` is of `body`; throws `client::Error` where its rows or numbers are not those of
/// the layout.
[[nodiscard]] bool is_of_body(const client::FrameArray& array, const v1::Body& body,
                              std::int64_t frame_index);

}  // namespace sluice::render
