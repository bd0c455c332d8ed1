// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sluice/frame.h"
#include "sluice/v1/frames.pb.h"

namespace sluice::render {

/// Adds a gas `air` to a layout: cells of `edge` metres, the first one's corner at the origin.
inline void add_cells(v1::Layout& layout, std::vector<std::int32_t> counts, double edge) {
  v1::Body& air = *layout.add_bodies();
  air.set_name("air");
  air.set_kind(v1::BODY_KIND_CELLS);
  air.set_count(std::int64_t{counts[0]} * counts[1] * counts[2]);
  air.mutable_lattice()->mutable_counts()->Assign(counts.begin(), counts.end());
  for (int axis = 0; axis < 3; ++axis) {
    air.mutable_lattice()->add_lower(0);
    air.mutable_lattice()->add_edges(edge);
  }
}

/// A field of the first body, as `value(x, y, z, component)` says at the middle of each cell.
inline void add_field(client::Frame& frame, const v1::Layout& layout, v1::Field field,
                      int component_count,
                      const std::function<float(double, double, double, int)>& value) {
  const v1::Body& body = layout.bodies(0);
  const v1::CellLattice& lattice = body.lattice();
  const auto middle = [&](int axis, int i) {
    return lattice.lower(axis) + (i + 0.5) * lattice.edges(axis);
  };
  std::vector<float> values;
  for (int k = 0; k < lattice.counts(2); ++k) {
    for (int j = 0; j < lattice.counts(1); ++j) {
      for (int i = 0; i < lattice.counts(0); ++i) {
        for (int c = 0; c < component_count; ++c) {
          values.push_back(value(middle(0, i), middle(1, j), middle(2, k), c));
        }
      }
    }
  }
  frame.arrays.push_back({body.name(), field, body.count(), component_count, std::move(values)});
}

}  // namespace sluice::render
