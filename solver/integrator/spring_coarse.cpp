// SPDX-License-Identifier: Apache-2.0
#include "solver/integrator/spring_coarse.h"

#include <algorithm>

#include "solver/linalg/partition.h"

namespace sluice::integrator {

namespace {

// Smaller patches save products and cost more in the coarse system, which is factored once a Newton
// iteration; from 50 to 150 the time on 100 x 100 vertices is the same within a tenth.
constexpr std::size_t vertices_per_patch = 100;
constexpr std::size_t fewest_patches = 4;

/// Which pairs are joined, as a pattern.
linalg::SparsePattern pattern_of(std::span<const std::int32_t> pairs, std::size_t count) {
  std::vector<double> maps;
  for (std::size_t n = 0; n < pairs.size() / 2; ++n)
    maps.insert(maps.end(), {1, -1});
  const linalg::ElementGroup group{2, 1, pairs, maps};
  return linalg::make_pattern(count, {&group, 1});
}

}  // namespace

SpringCoarse::SpringCoarse(const SpringLanes& springs, std::size_t vertex_count)
    : patches_(vertex_count, 0) {
  const std::size_t patch_count = vertex_count / vertices_per_patch;
  if (patch_count < fewest_patches) return;
  std::vector<std::int32_t> pairs;
  for (std::size_t n = 0; n < springs.tie_count(); ++n)
    pairs.insert(pairs.end(), {springs.tie(n).a, springs.tie(n).b});
  patches_ = linalg::partition(pattern_of(pairs, vertex_count), static_cast<int>(patch_count));
  for (std::int32_t& vertex : pairs)
    vertex = patches_[at(vertex)];
  std::vector<std::int32_t> between;
  for (std::size_t n = 0; n < pairs.size(); n += 2) {
    if (pairs[n] != pairs[n + 1]) between.insert(between.end(), {pairs[n], pairs[n + 1]});
  }
  pattern_ = pattern_of(between, patch_count);
  for (std::size_t n = 0; n < pairs.size(); n += 2) {
    const std::int32_t A = pairs[n], B = pairs[n + 1];
    places_.push_back(A == B ? Place{-1, -1} : Place{pattern_.entry(A, B), pattern_.entry(B, A)});
  }
  cholesky_ = std::make_unique<linalg::SparseCholesky<float>>(pattern_, linalg::EntryKind::block);
  entries_.resize(9 * pattern_.entry_count());
  sums_.resize(patch_count);
  moves_.resize(patch_count);
}

void SpringCoarse::prepare(const SpringLanes& springs, std::span<const float> inertia,
                           std::span<const float> is_free) {
  is_ready_ = false;
  if (!cholesky_) return;
  std::ranges::fill(entries_, 0.0);
  const auto block = [&](std::int32_t entry) { return Eigen::Map<Mat3>(&entries_[9 * at(entry)]); };
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    block(pattern_.diagonal[at(patches_[i])]).diagonal().array() += static_cast<double>(inertia[i]);
  }
  for (std::size_t n = 0; n < places_.size(); ++n) {
    const auto [forth, back] = places_[n];
    const SpringLanes::Tie tie = springs.tie(n);
    const bool a_is_free = is_free[at(tie.a)] != 0, b_is_free = is_free[at(tie.b)] != 0;
    if (a_is_free == b_is_free && (forth < 0 || !a_is_free)) continue;
    const Vec3 m = tie.m.cast<double>();
    Mat3 H = m * m.transpose();
    H.diagonal().array() += static_cast<double>(tie.across);
    if (a_is_free) block(pattern_.diagonal[at(patches_[at(tie.a)])]) += H;
    if (b_is_free) block(pattern_.diagonal[at(patches_[at(tie.b)])]) += H;
    if (a_is_free && b_is_free) {
      block(forth) -= H;
      block(back) -= H;
    }
  }
  // A patch of held vertices alone does not move.
  for (const std::int32_t entry : pattern_.diagonal) {
    if (block(entry).isZero(0)) block(entry).setIdentity();
  }
  is_ready_ = cholesky_->factor(entries_);
}

double SpringCoarse::correct(const LaneVector& r, std::span<const float> is_free, LaneVector& z) {
  if (!is_ready_) return 0;
  std::ranges::fill(sums_, Vec3::Zero());
  for (std::size_t i = 0; i < patches_.size(); ++i)
    sums_[at(patches_[i])] += Vec3(r[0][i], r[1][i], r[2][i]);
  cholesky_->solve(sums_, moves_);
  double product = 0;
  for (std::size_t p = 0; p < sums_.size(); ++p)
    product += sums_[p].dot(moves_[p]);
  for (std::size_t i = 0; i < patches_.size(); ++i) {
    const Eigen::Vector3f move = is_free[i] * moves_[at(patches_[i])].cast<float>();
    for (std::size_t c = 0; c < 3; ++c)
      z[c][i] += move[static_cast<Eigen::Index>(c)];
  }
  return product;
}

}  // namespace sluice::integrator
