// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/two_level_pcg.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "solver/linalg/vectors.h"
#include "solver/parallel/for_each_index.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"
#include "solver/simd/lanes.h"
#include "solver/simd/vectors.h"

namespace sluice::linalg {

using namespace simd;

namespace {

constexpr std::int64_t row_grain = 512;  // Rows of some 15 blocks: 10 microseconds to read.
// Vertices, some numbers each: 5 microseconds or more.
constexpr std::int64_t two_level_pcg_grain = 2048;

Double4 widen(Float4 v) { return __builtin_convertvector(v, Double4); }
double sum_of(Double4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }

/// A 3x3 block, column by column, times v; the fourth number means nothing.
[[gnu::always_inline]] inline Float4 times(const float* block, const float* v, Float4 sum) {
  sum = multiply_add(load4(block), splat(v[0]), sum);
  sum = multiply_add(load4(block + 3), splat(v[1]), sum);
  return multiply_add(load4(block + 6), splat(v[2]), sum);
}

Float4 without_last(Float4 v) {
  const Float4 zero{};
  return __builtin_shufflevector(v, zero, 0, 1, 2, 4);
}

}  // namespace

TwoLevelPcg::TwoLevelPcg(const SparsePattern& pattern)
    : vertex_count_(pattern.row_count()),
      row_starts_(pattern.row_starts),
      columns_(pattern.columns),
      blocks_(9 * pattern.entry_count() + 3),
      inverses_(9 * vertex_count_ + 3),
      patches_(pattern),
      left_(vertex_count_) {
  for (auto* vector : {&residual_, &preconditioned_, &direction_, &image_, &answer_})
    vector->assign(4 * vertex_count_, 0.0F);
}

void TwoLevelPcg::prepare(const BlockMatrix& A, std::span<const Vec3> positions) {
  const std::span<const double> entries = A.entries();
  parallel::for_each_index(vertex_count_, row_grain, [&](std::size_t i) {
    const std::size_t first = 9 * at(row_starts_[i]), last = 9 * at(row_starts_[i + 1]);
    for (std::size_t n = first; n < last; ++n)
      blocks_[n] = static_cast<float>(entries[n]);
    const Mat3 block = A.block(A.pattern().diagonal[i]);
    Mat3 inverse = block.inverse();
    if (!inverse.allFinite()) inverse = Mat3::Identity() / block.trace();
    for (std::size_t n = 0; n < 9; ++n)
      inverses_[9 * i + n] = static_cast<float>(inverse.data()[n]);
  });
  patches_.prepare(A, positions);
}

/// image = A direction; returns their product.
double TwoLevelPcg::multiply() {
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(vertex_count_), row_grain, 0.0,
      [&](std::int64_t first, std::int64_t last) {
        Double4 products{};
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          std::array<Float4, 2> sums{};  // Two, so that they need not wait for each other.
          const auto end = row_starts_[i + 1];
          std::int32_t n = row_starts_[i];
          for (; n + 1 < end; n += 2) {
            for (std::int32_t s = 0; s < 2; ++s) {
              sums[at(s)] = times(&blocks_[9 * at(n + s)], &direction_[4 * at(columns_[at(n + s)])],
                                  sums[at(s)]);
            }
          }
          if (n < end) {
            sums[0] = times(&blocks_[9 * at(n)], &direction_[4 * at(columns_[at(n)])], sums[0]);
          }
          const Float4 image = without_last(sums[0] + sums[1]);
          store4(&image_[4 * i], image);
          products += widen(image * load4(&direction_[4 * i]));
        }
        return sum_of(products);
      },
      std::plus<>());
}

/// answer += alpha direction, residual -= alpha image, preconditioned = M residual, of which the
/// patches' part is left to `turn`. Sets rz = residual . M residual and rr = |residual|^2.
void TwoLevelPcg::advance(float alpha, double& rz, double& rr) {
  struct Products {
    double rz, rr;
  };
  const Products products = parallel::parallel_reduce(
      0, static_cast<std::int64_t>(vertex_count_), two_level_pcg_grain, Products{0, 0},
      [&](std::int64_t first, std::int64_t last) {
        Double4 with_z{}, squares{};
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
          const Float4 step = splat(alpha);
          store4(&answer_[4 * i],
                 multiply_add(step, load4(&direction_[4 * i]), load4(&answer_[4 * i])));
          const Float4 r = multiply_add(-step, load4(&image_[4 * i]), load4(&residual_[4 * i]));
          store4(&residual_[4 * i], r);
          const Float4 z = without_last(times(&inverses_[9 * i], &residual_[4 * i], Float4{}));
          store4(&preconditioned_[4 * i], z);
          with_z += widen(r * z);
          squares += widen(r * r);
        }
        return Products{sum_of(with_z), sum_of(squares)};
      },
      [](const Products& a, const Products& b) { return Products{a.rz + b.rz, a.rr + b.rr}; });
  rz = products.rz;
  rr = products.rr;
  if (patches_.is_ready()) rz += patches_.solve(residual_);
}

/// direction = M residual + beta direction
void TwoLevelPcg::turn(float beta) {
  parallel::for_each_index(vertex_count_, two_level_pcg_grain, [&](std::size_t i) {
    Float4 z = load4(&preconditioned_[4 * i]);
    if (patches_.is_ready()) {
      const auto& d = patches_.places()[i];
      const auto& [t, w] = patches_.motions()[at(d.patch)];
      z += Float4{t[0] + w[1] * d.z - w[2] * d.y, t[1] + w[2] * d.x - w[0] * d.z,
                  t[2] + w[0] * d.y - w[1] * d.x, 0};
    }
    store4(&direction_[4 * i], multiply_add(splat(beta), load4(&direction_[4 * i]), z));
  });
}

/// answer = A^-1 residual, so that |residual| is left at `tolerance` of what it was. Returns the
/// number of iterations.
int TwoLevelPcg::iterate(double tolerance, int max_iterations) {
  std::ranges::fill(answer_, 0.0F);
  std::ranges::fill(direction_, 0.0F);
  std::ranges::fill(image_, 0.0F);
  double rz = 0, rr = 0;
  advance(0, rz, rr);
  turn(0);
  const double enough = tolerance * tolerance * rr;
  int iterations = 0;
  while (iterations < max_iterations && rr > enough && rz > 0) {
    const double curvature = multiply();
    if (!(curvature > 0)) break;
    ++iterations;
    const double last_rz = rz;
    advance(static_cast<float>(rz / curvature), rz, rr);
    turn(static_cast<float>(rz / last_rz));
  }
  return iterations;
}

TwoLevelReport TwoLevelPcg::solve(const BlockMatrix& A, std::span<const Vec3> b, double tolerance,
                                  int max_iterations, std::span<Vec3> x) {
  std::ranges::fill(x, Vec3::Zero());
  std::ranges::copy(b, left_.begin());
  TwoLevelReport report;
  const double size = norm(b);
  if (!(size > 0)) return {.residual = 0, .is_converged = true};
  while (report.iterations < max_iterations) {
    // The residual has norm 1, so that float neither overflows nor rounds to 0.
    const double scale = report.residual * size;
    parallel::for_each_index(vertex_count_, two_level_pcg_grain, [&](std::size_t i) {
      const Vec3f r = (left_[i] / scale).cast<float>();
      store4(&residual_[4 * i], Float4{r.x(), r.y(), r.z(), 0});
    });
    report.iterations += iterate(tolerance / report.residual, max_iterations - report.iterations);
    parallel::for_each_index(vertex_count_, two_level_pcg_grain, [&](std::size_t i) {
      x[i] += scale * Vec3(answer_[4 * i], answer_[4 * i + 1], answer_[4 * i + 2]);
    });
    A.multiply(x, left_);
    parallel::for_each_index(vertex_count_, two_level_pcg_grain,
                             [&](std::size_t i) { left_[i] = b[i] - left_[i]; });
    const double last = report.residual;
    report.residual = norm(left_) / size;
    report.is_converged = report.residual <= 2 * tolerance;
    // A round that does not halve the residual has met what rounding leaves of A in float.
    if (report.is_converged || !(report.residual < last / 2)) break;
  }
  return report;
}

}  // namespace sluice::linalg
