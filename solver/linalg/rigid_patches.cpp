// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/rigid_patches.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "solver/linalg/partition.h"
#include "solver/parallel/parallel_for.h"
#include "solver/simd/four_doubles.h"
#include "solver/simd/lanes.h"

namespace sluice::linalg {

using namespace simd;

namespace {

// A Newton step of 1,440 tets on 400 vertices takes a sixth longer with 8 patches than with 12, and
// no less with 24; one of 99,840 no less with patches of 50 or 150.
constexpr std::size_t vertices_per_patch = 100, fewest_patches = 12, fewest_vertices = 8;
constexpr std::int64_t patch_grain = 4;

using Matrix6 = Eigen::Matrix<double, 6, 6>;

template <typename Body>
void for_each_patch(std::size_t count, const Body& body) {
  parallel::parallel_for(0, static_cast<std::int64_t>(count), patch_grain,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t p = first; p < last; ++p)
                             body(static_cast<std::size_t>(p));
                         });
}

Mat3 columns_of(const std::array<Double4, 3>& columns) {
  Mat3 M;
  for (Eigen::Index j = 0; j < 3; ++j) {
    const Double4& column = columns[static_cast<std::size_t>(j)];
    M.col(j) = Vec3(column[0], column[1], column[2]);
  }
  return M;
}

}  // namespace

RigidPatches::RigidPatches(const SparsePattern& pattern) {
  const std::size_t vertex_count = pattern.row_count();
  const std::size_t count = std::max(vertex_count / vertices_per_patch,
                                     std::min(fewest_patches, vertex_count / fewest_vertices));
  if (count < 2) return;
  patches_ = partition(pattern, static_cast<int>(count));
  first_vertex_.assign(count + 1, 0);
  for (const std::int32_t patch : patches_)
    ++first_vertex_[at(patch) + 1];
  std::partial_sum(first_vertex_.begin(), first_vertex_.end(), first_vertex_.begin());
  vertices_.resize(vertex_count);
  std::vector<std::int32_t> next(first_vertex_.begin(), first_vertex_.end() - 1);
  for (std::size_t i = 0; i < vertex_count; ++i)
    vertices_[at(next[at(patches_[i])]++)] = static_cast<std::int32_t>(i);

  const auto other_patch = [&](std::int32_t n) { return patches_[at(pattern.columns[at(n)])]; };
  first_pair_.push_back(0);
  first_entry_.push_back(0);
  for (std::size_t p = 0; p < count; ++p) {
    const auto own = static_cast<std::int32_t>(p);
    std::vector<std::int32_t> others{own};
    const auto first = vertices_.begin() + first_vertex_[p];
    const auto last = vertices_.begin() + first_vertex_[p + 1];
    for (auto i = first; i != last; ++i) {
      for (std::int32_t n = pattern.row_starts[at(*i)]; n < pattern.row_starts[at(*i) + 1]; ++n) {
        if (other_patch(n) > own) others.push_back(other_patch(n));
      }
    }
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    for (auto i = first; i != last; ++i) {
      std::vector<std::int32_t> entries;
      for (std::int32_t n = pattern.row_starts[at(*i)]; n < pattern.row_starts[at(*i) + 1]; ++n) {
        if (other_patch(n) >= own) entries.push_back(n);
      }
      std::ranges::stable_sort(entries, {}, other_patch);
      for (const std::int32_t n : entries) {
        row_entries_.push_back(n);
        const auto place = std::ranges::lower_bound(others, other_patch(n)) - others.begin();
        row_pairs_.push_back(first_pair_.back() + static_cast<std::int32_t>(place));
      }
      first_entry_.push_back(static_cast<std::int32_t>(row_entries_.size()));
    }
    for (const std::int32_t other : others)
      pairs_.push_back({own, other});
    first_pair_.push_back(static_cast<std::int32_t>(pairs_.size()));
  }

  std::vector<std::int32_t> stencils;
  for (const auto [p, q] : pairs_)
    stencils.insert(stencils.end(), {2 * p, 2 * p + 1, 2 * q, 2 * q + 1});
  pattern_ = make_pattern(2 * count, {{ElementGroup{4, 1, stencils, {}}}});
  cholesky_ = std::make_unique<SparseCholesky<float>>(pattern_, EntryKind::block);
  blocks_.resize(36 * pairs_.size());
  entries_.resize(9 * pattern_.entry_count());
  places_.resize(vertex_count);
  sums_.resize(2 * count);
  answers_.resize(2 * count);
  motions_.resize(count + 1);
}

/// Sets places_: where vertices are from the centre of those of their patch that are free.
void RigidPatches::place_vertices(const BlockMatrix& A, std::span<const Vec3> positions) {
  // A patch whose smallest moment of inertia is below this part of its largest does not turn: its
  // vertices are on a line to 1/1000.
  constexpr double least_moment = 1e-6;
  for_each_patch(patch_count(), [&](std::size_t p) {
    const auto own = std::span(vertices_).subspan(at(first_vertex_[p]),
                                                  at(first_vertex_[p + 1] - first_vertex_[p]));
    Vec3 center = Vec3::Zero();
    double count = 0;
    for (const std::int32_t i : own) {
      if (A.is_held(at(i))) continue;
      center += positions[at(i)];
      ++count;
    }
    if (count > 0) center /= count;
    Mat3 moments = Mat3::Zero();
    for (const std::int32_t i : own) {
      if (A.is_held(at(i))) continue;
      const Vec3 d = positions[at(i)] - center;
      moments += d.squaredNorm() * Mat3::Identity() - d * d.transpose();
    }
    Eigen::SelfAdjointEigenSolver<Mat3> solver;
    solver.computeDirect(moments, Eigen::EigenvaluesOnly);
    const Vec3& values = solver.eigenvalues();
    const bool is_turned = values[0] > least_moment * values[2];
    for (const std::int32_t i : own) {
      Place& place = places_[at(i)];
      place = {0, 0, 0, static_cast<std::int32_t>(A.is_held(at(i)) ? patch_count() : p)};
      if (A.is_held(at(i)) || !is_turned) continue;
      const Eigen::Vector3f d = (positions[at(i)] - center).cast<float>();
      place.x = d.x();
      place.y = d.y();
      place.z = d.z();
    }
  });
}

/// Sets the blocks of the pairs that the patch is first in: sums of Z_i^T A_ij Z_j, where Z_i = (I,
/// S_i), S_i w = w x d_i.
void RigidPatches::sum_patch(const BlockMatrix& A, std::size_t patch) {
  std::fill(&blocks_[36 * at(first_pair_[patch])], blocks_.data() + 36 * at(first_pair_[patch + 1]),
            0.0);
  const std::span<const double> entries = A.entries();
  for (auto v = at(first_vertex_[patch]); v < at(first_vertex_[patch + 1]); ++v) {
    const std::size_t i = at(vertices_[v]);
    if (A.is_held(i)) continue;
    const Place& own = places_[i];
    Mat3 S_i_transposed;
    S_i_transposed << 0, -own.z, own.y, own.z, 0, -own.x, -own.y, own.x, 0;
    for (auto n = at(first_entry_[v]); n < at(first_entry_[v + 1]);) {
      const std::int32_t pair = row_pairs_[n];
      std::array<Double4, 3> moved{}, turned{};  // Sums of A_ij, of A_ij S_j.
      for (; n < at(first_entry_[v + 1]) && row_pairs_[n] == pair; ++n) {
        const double* block = &entries[9 * at(row_entries_[n])];
        const Place& d = places_[at(A.pattern().columns[at(row_entries_[n])])];
        const Double4 x = load(block), y = load(block + 3),
                      z = Double4{block[6], block[7], block[8], 0};
        moved[0] += x;
        moved[1] += y;
        moved[2] += z;
        turned[0] += splat4(d.y) * z - splat4(d.z) * y;
        turned[1] += splat4(d.z) * x - splat4(d.x) * z;
        turned[2] += splat4(d.x) * y - splat4(d.y) * x;
      }
      const Mat3 sum = columns_of(moved), sum_turned = columns_of(turned);
      Eigen::Map<Matrix6> block(&blocks_[36 * at(pair)]);
      block.topLeftCorner<3, 3>() += sum;
      block.topRightCorner<3, 3>() += sum_turned;
      block.bottomLeftCorner<3, 3>() += S_i_transposed * sum;
      block.bottomRightCorner<3, 3>() += S_i_transposed * sum_turned;
    }
  }
}

void RigidPatches::prepare(const BlockMatrix& A, std::span<const Vec3> positions) {
  is_ready_ = false;
  if (!cholesky_) return;
  place_vertices(A, positions);
  for_each_patch(patch_count(), [&](std::size_t p) { sum_patch(A, p); });
  const auto entry = [&](std::int32_t row, std::int32_t column) {
    return Eigen::Map<Mat3>(&entries_[9 * at(pattern_.entry(row, column))]);
  };
  for (std::size_t n = 0; n < pairs_.size(); ++n) {
    const auto [p, q] = pairs_[n];
    const Eigen::Map<const Matrix6> block(&blocks_[36 * n]);
    for (std::int32_t a = 0; a < 2; ++a) {
      for (std::int32_t b = 0; b < 2; ++b) {
        const Mat3 part = block.block<3, 3>(Eigen::Index{3} * a, Eigen::Index{3} * b);
        entry(2 * p + a, 2 * q + b) = part;
        entry(2 * q + b, 2 * p + a) = part.transpose();
      }
    }
  }
  // A patch of held vertices alone does not move, and one on a line does not turn.
  for (const std::int32_t diagonal : pattern_.diagonal) {
    Eigen::Map<Mat3> block(&entries_[9 * at(diagonal)]);
    if (block.isZero(0)) block.setIdentity();
  }
  is_ready_ = cholesky_->factor(entries_);
}

double RigidPatches::solve(std::span<const float> r) {
  for_each_patch(patch_count(), [&](std::size_t p) {
    Vec3f force = Vec3f::Zero(), torque = Vec3f::Zero();
    for (auto v = at(first_vertex_[p]); v < at(first_vertex_[p + 1]); ++v) {
      const std::size_t i = at(vertices_[v]);
      const Place& d = places_[i];
      const Vec3f own(r[4 * i], r[4 * i + 1], r[4 * i + 2]);
      force += own;
      torque += Vec3f(d.x, d.y, d.z).cross(own);
    }
    sums_[2 * p] = force.cast<double>();
    sums_[2 * p + 1] = torque.cast<double>();
  });
  cholesky_->solve(sums_, answers_);
  double product = 0;
  for (std::size_t p = 0; p < patch_count(); ++p) {
    const Vec3 &t = answers_[2 * p], &w = answers_[2 * p + 1];
    product += sums_[2 * p].dot(t) + sums_[2 * p + 1].dot(w);
    for (std::size_t c = 0; c < 3; ++c) {
      motions_[p].t[c] = static_cast<float>(t[static_cast<Eigen::Index>(c)]);
      motions_[p].w[c] = static_cast<float>(w[static_cast<Eigen::Index>(c)]);
    }
  }
  return product;
}

}  // namespace sluice::linalg
