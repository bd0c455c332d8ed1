// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/block_matrix.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "solver/parallel/parallel_for.h"
#include "solver/simd/four_doubles.h"
#include "solver/simd/lanes.h"

namespace sluice::linalg {

using namespace simd;

namespace {

constexpr std::int64_t row_grain = 256;  // Rows of some 15 blocks: 10 microseconds to read.
constexpr std::size_t wave = 1024;       // Elements, 1,152 bytes a tet: they fit the second cache.
constexpr std::int64_t element_grain = 128, run_grain = 128;  // In a wave: some 10 microseconds.
constexpr std::size_t elements_at_once = 64;  // Elements whose Hessians stay in the first cache.

/// Calls body(i) for i in [first, last), by chunks of `grain`.
template <typename Body>
void for_each(std::size_t first, std::size_t last, std::int64_t grain, const Body& body) {
  parallel::parallel_for(static_cast<std::int64_t>(first), static_cast<std::int64_t>(last), grain,
                         [&](std::int64_t begin, std::int64_t end) {
                           for (std::int64_t i = begin; i < end; ++i)
                             body(static_cast<std::size_t>(i));
                         });
}

/// The blocks of (G x I_3)^T H (G x I_3), k rows of k. One number after H is read.
template <std::size_t k, std::size_t r>
void write_blocks(const double* G, const double* H, double* blocks) {
  for (std::size_t a = 0; a < k; ++a) {
    // H (G x I_3) for vertex a: three columns of r vectors, of three numbers and one of no meaning.
    std::array<std::array<Double4, r>, 3> columns;
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t q = 0; q < r; ++q) {
        const double* of_vector = H + 3 * r * j + 3 * q;
        columns[j][q] = splat4(G[a]) * load(of_vector);
        for (std::size_t p = 1; p < r; ++p) {
          columns[j][q] =
              multiply_add(splat4(G[p * k + a]), load(of_vector + 9 * r * p), columns[j][q]);
        }
      }
    }
    for (std::size_t b = 0; b < k; ++b) {
      double* block = blocks + 9 * (k * b + a);
      for (std::size_t j = 0; j < 3; ++j) {
        Double4 sum = splat4(G[b]) * columns[j][0];
        for (std::size_t q = 1; q < r; ++q)
          sum = multiply_add(splat4(G[q * k + b]), columns[j][q], sum);
        std::memcpy(block + 3 * j, &sum, 3 * sizeof(double));
      }
    }
  }
}

}  // namespace

BlockMatrix::BlockMatrix(std::size_t vertex_count, std::span<const ElementGroup> groups)
    : pattern_(make_pattern(vertex_count, groups)),
      is_held_(vertex_count, 0),
      entries_(9 * pattern_.entry_count() + 1, 0.0) {
  std::size_t most = 0;
  for (const ElementGroup& from : groups) {
    groups_.push_back(make_group(from));
    const auto k = static_cast<std::size_t>(from.vertices_per_element);
    most = std::max(most, 9 * k * k * std::min(wave, from.count()));
  }
  wave_blocks_.resize(most);
}

BlockMatrix::Group BlockMatrix::make_group(const ElementGroup& from) const {
  Group group{from.vertices_per_element,
              from.rows,
              from.count(),
              {from.maps.begin(), from.maps.end()},
              {},
              {},
              {},
              {0}};
  const auto k = static_cast<std::size_t>(from.vertices_per_element);
  std::vector<Corner> corners;
  for (std::size_t first = 0; first < from.count(); first += wave) {
    const std::size_t count = std::min(wave, from.count() - first);
    const std::int32_t* stencils = &from.stencils[k * first];
    const auto vertex = [&](const Corner& c) { return stencils[at(c.element) * k + at(c.corner)]; };
    corners.clear();
    for (std::size_t n = 0; n < k * count; ++n)
      corners.push_back({static_cast<std::int32_t>(n / k), static_cast<std::int32_t>(n % k)});
    std::ranges::stable_sort(corners, {}, vertex);
    std::int32_t last_vertex = -1;
    for (const Corner& corner : corners) {
      if (vertex(corner) != last_vertex) {
        last_vertex = vertex(corner);
        group.runs.push_back({last_vertex, static_cast<std::int32_t>(group.corners.size())});
      }
      group.corners.push_back(corner);
      for (std::size_t b = 0; b < k; ++b)
        group.entries.push_back(pattern_.entry(last_vertex, stencils[at(corner.element) * k + b]));
    }
    group.first_run.push_back(group.runs.size());
  }
  group.runs.push_back({-1, static_cast<std::int32_t>(group.corners.size())});
  return group;
}

void BlockMatrix::begin(std::span<const double> inertia) {
  assert(inertia.size() == is_held_.size());
  for_each(0, inertia.size(), row_grain, [&](std::size_t i) {
    std::fill(entries_.begin() + 9 * std::ptrdiff_t{pattern_.row_starts[i]},
              entries_.begin() + 9 * std::ptrdiff_t{pattern_.row_starts[i + 1]}, 0.0);
    is_held_[i] = inertia[i] == std::numeric_limits<double>::infinity() ? 1 : 0;
    Eigen::Map<Mat3> block(&entries_[9 * at(pattern_.diagonal[i])]);
    block.diagonal().setConstant(is_held_[i] != 0 ? 1 : inertia[i]);
  });
}

void BlockMatrix::add(std::size_t group, const HessianSource& hessians) {
  const Group& own = groups_[group];
  const int k = own.vertices_per_element, r = own.rows;
  assert(r >= 1 && r <= 3 && (k > 1 || r == 1));
  assert((k >= 1 && k <= 4) || (k == 8 && r == 1));
  if (k == 1) {
    add_group<1, 1>(own, hessians);
  } else if (k == 2) {
    if (r == 1) add_group<2, 1>(own, hessians);
    if (r == 2) add_group<2, 2>(own, hessians);
    if (r == 3) add_group<2, 3>(own, hessians);
  } else if (k == 3) {
    if (r == 1) add_group<3, 1>(own, hessians);
    if (r == 2) add_group<3, 2>(own, hessians);
    if (r == 3) add_group<3, 3>(own, hessians);
  } else if (k == 8) {
    add_group<8, 1>(own, hessians);
  } else {
    if (r == 1) add_group<4, 1>(own, hessians);
    if (r == 2) add_group<4, 2>(own, hessians);
    if (r == 3) add_group<4, 3>(own, hessians);
  }
}

template <std::size_t k, std::size_t r>
void BlockMatrix::add_group(const Group& group, const HessianSource& hessians) {
  constexpr std::size_t size = 9 * r * r;
  for (std::size_t w = 0; w + 1 < group.first_run.size(); ++w) {
    const std::size_t first = wave * w, last = std::min(first + wave, group.element_count);
    parallel::parallel_for(
        static_cast<std::int64_t>(first), static_cast<std::int64_t>(last), element_grain,
        [&](std::int64_t chunk_begin, std::int64_t chunk_end) {
          std::array<double, size * elements_at_once + 4> H;  // Read by four doubles.
          std::fill(H.end() - 4, H.end(), 0.0);
          const auto end = static_cast<std::size_t>(chunk_end);
          for (auto e = static_cast<std::size_t>(chunk_begin); e < end; e += elements_at_once) {
            const std::size_t count = std::min(elements_at_once, end - e);
            hessians(e, e + count, std::span(H).first(size * count));
            for (std::size_t n = 0; n < count; ++n) {
              write_blocks<k, r>(&group.maps[(e + n) * r * k], &H[size * n],
                                 &wave_blocks_[9 * k * k * (e + n - first)]);
            }
          }
        });
    add_rows<k>(group, group.first_run[w], group.first_run[w + 1]);
  }
}

/// Adds the wave's blocks to the matrix: each row takes its own, in the order of the elements.
template <std::size_t k>
void BlockMatrix::add_rows(const Group& group, std::size_t first_run, std::size_t last_run) {
  for_each(first_run, last_run, run_grain, [&](std::size_t run) {
    const auto [vertex, first_corner] = group.runs[run];
    if (is_held_[at(vertex)] != 0) return;
    for (std::int32_t n = first_corner; n < group.runs[run + 1].first_corner; ++n) {
      const auto [element, corner] = group.corners[at(n)];
      const double* from = &wave_blocks_[9 * k * (at(element) * k + at(corner))];
      for (std::size_t b = 0; b < k; ++b, from += 9) {
        const std::size_t entry = at(group.entries[at(n) * k + b]);
        if (is_held_[at(pattern_.columns[entry])] != 0) continue;
        double* to = &entries_[9 * entry];
        store(load(to) + load(from), to);
        store(load(to + 4) + load(from + 4), to + 4);
        to[8] += from[8];
      }
    }
  });
}

void BlockMatrix::multiply(std::span<const Vec3> x, std::span<Vec3> y) const {
  for_each(0, is_held_.size(), row_grain, [&](std::size_t i) {
    Double4 of_x{}, of_y{}, of_z{};
    for (std::int32_t n = pattern_.row_starts[i]; n < pattern_.row_starts[i + 1]; ++n) {
      const double* block = &entries_[9 * at(n)];
      const double* v = x[at(pattern_.columns[at(n)])].data();
      of_x = multiply_add(load(block), splat4(v[0]), of_x);
      of_y = multiply_add(load(block + 3), splat4(v[1]), of_y);
      of_z = multiply_add(load(block + 6), splat4(v[2]), of_z);
    }
    const Double4 sum = (of_x + of_y) + of_z;
    y[i] = Vec3(sum[0], sum[1], sum[2]);
  });
}

}  // namespace sluice::linalg
