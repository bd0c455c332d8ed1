// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/block_matrix.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <numeric>

#include "solver/parallel/parallel_for.h"

namespace sluice::linalg {

namespace {

constexpr std::int64_t grain = 256;  // Rows of some 15 blocks: 30 microseconds to fill, 5 to read.

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

template <typename Body>
void for_each_row(std::size_t count, const Body& body) {
  parallel::parallel_for(0, static_cast<std::int64_t>(count), grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t i = first; i < last; ++i)
                             body(static_cast<std::size_t>(i));
                         });
}

}  // namespace

BlockMatrix::BlockMatrix(std::size_t vertex_count, std::span<const ElementGroup> groups)
    : pattern_(make_pattern(vertex_count, groups)),
      is_held_(vertex_count, 0),
      entries_(9 * pattern_.entry_count(), 0.0) {
  for (const ElementGroup& from : groups) {
    Group group{from.vertices_per_element,
                from.rows,
                {from.stencils.begin(), from.stencils.end()},
                {from.maps.begin(), from.maps.end()},
                std::vector<std::int32_t>(vertex_count + 1, 0),
                std::vector<Corner>(from.stencils.size()),
                {}};
    const auto k = static_cast<std::size_t>(group.vertices_per_element);
    for (const std::int32_t vertex : group.stencils)
      ++group.first_corner[at(vertex) + 1];
    std::partial_sum(group.first_corner.begin(), group.first_corner.end(),
                     group.first_corner.begin());
    std::vector<std::int32_t> next(group.first_corner.begin(), group.first_corner.end() - 1);
    for (std::size_t n = 0; n < group.stencils.size(); ++n) {
      group.corners[at(next[at(group.stencils[n])]++)] = {static_cast<std::int32_t>(n / k),
                                                          static_cast<std::int32_t>(n % k)};
    }
    group.entries.reserve(k * group.corners.size());
    for (const auto [element, corner] : group.corners) {
      const std::int32_t* stencil = &group.stencils[at(element) * k];
      for (std::size_t b = 0; b < k; ++b)
        group.entries.push_back(pattern_.entry(stencil[corner], stencil[b]));
    }
    groups_.push_back(std::move(group));
  }
}

void BlockMatrix::begin(std::span<const double> inertia) {
  assert(inertia.size() == is_held_.size());
  std::fill(entries_.begin(), entries_.end(), 0.0);
  for (std::size_t i = 0; i < inertia.size(); ++i) {
    is_held_[i] = inertia[i] == std::numeric_limits<double>::infinity() ? 1 : 0;
    Eigen::Map<Mat3> block(&entries_[9 * at(pattern_.diagonal[i])]);
    block.diagonal().setConstant(is_held_[i] != 0 ? 1 : inertia[i]);
  }
}

void BlockMatrix::add(std::size_t group, std::span<const double> hessians) {
  const Group& own = groups_[group];
  const auto k = static_cast<std::size_t>(own.vertices_per_element);
  const auto r = static_cast<std::size_t>(own.rows);
  for_each_row(is_held_.size(), [&](std::size_t i) {
    if (is_held_[i] != 0) return;
    for (std::int32_t n = own.first_corner[i]; n < own.first_corner[i + 1]; ++n) {
      const auto [element, corner] = own.corners[at(n)];
      const std::size_t e = at(element), a = at(corner);
      const double* G = &own.maps[e * r * k];
      const Eigen::Map<const Eigen::MatrixXd> H(&hessians[e * 9 * r * r],
                                                static_cast<Eigen::Index>(3 * r),
                                                static_cast<Eigen::Index>(3 * r));
      // Row block of G^T H for this corner, then times G for each other one.
      std::array<Mat3, 3> columns;
      for (std::size_t q = 0; q < r; ++q) {
        columns[q].setZero();
        for (std::size_t p = 0; p < r; ++p) {
          columns[q] += G[p * k + a] * H.block<3, 3>(static_cast<Eigen::Index>(3 * p),
                                                     static_cast<Eigen::Index>(3 * q));
        }
      }
      for (std::size_t b = 0; b < k; ++b) {
        if (is_held_[at(own.stencils[e * k + b])] != 0) continue;
        Eigen::Map<Mat3> block(&entries_[9 * at(own.entries[at(n) * k + b])]);
        for (std::size_t q = 0; q < r; ++q)
          block += G[q * k + b] * columns[q];
      }
    }
  });
}

void BlockMatrix::multiply(std::span<const Vec3> x, std::span<Vec3> y) const {
  for_each_row(is_held_.size(), [&](std::size_t i) {
    Vec3 sum = Vec3::Zero();
    for (std::int32_t n = pattern_.row_starts[i]; n < pattern_.row_starts[i + 1]; ++n)
      sum += block(n) * x[at(pattern_.columns[at(n)])];
    y[i] = sum;
  });
}

}  // namespace sluice::linalg
