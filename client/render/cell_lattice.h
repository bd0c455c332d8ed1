// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sluice/frame.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::render {

/// The grid of a body's cells, which are the rows of its arrays: first along x, then y, then z.
struct CellLattice {
  std::array<std::int32_t, 3> counts;  ///< Numbers of cells along x, y and z, at least 1.
  std::array<double, 3> lower;         ///< The first cell's lowest corner, in metres.
  std::array<double, 3> edges;         ///< Edge lengths of a cell, in metres, above 0.

  [[nodiscard]] std::size_t cell_count() const;
};

/// Reads the lattice of a body of cells. Throws `client::Error` if it does not fit the body.
[[nodiscard]] CellLattice read_lattice(const v1::Body& body);

/// Whether `array` belongs to `body`. Throws `client::Error` if it does, but its sizes do not fit
/// the body.
[[nodiscard]] bool is_of_body(const client::FrameArray& array, const v1::Body& body,
                              std::int64_t frame_index);

}  // namespace sluice::render
