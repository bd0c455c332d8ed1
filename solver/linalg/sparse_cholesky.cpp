// SPDX-License-Identifier: Apache-2.0
#include "solver/linalg/sparse_cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cassert>

#include "solver/linalg/ordering.h"
#include "solver/simd/lanes.h"

namespace sluice::linalg {

using namespace simd;

namespace {

/// The sum of each of four vectors.
std::array<float, 4> sum_each(const std::array<Lanes<float>::type, 4>& v) {
  const auto pairs = [](const auto& a, const auto& b) {
    return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  };
  const auto ab = pairs(v[0], v[1]), cd = pairs(v[2], v[3]);
  const auto halves = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +
                      __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
  return {halves[0] + halves[4], halves[1] + halves[5], halves[2] + halves[6],
          halves[3] + halves[7]};
}

std::array<double, 4> sum_each(const std::array<Lanes<double>::type, 4>& v) {
  const auto pairs = [](const auto& a, const auto& b) {
    return __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  };
  const auto ab = pairs(v[0], v[1]), cd = pairs(v[2], v[3]);
  const auto all =
      __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
  return {all[0], all[1], all[2], all[3]};
}

/// The tiles of a panel of `rows` x `columns`: `lanes` rows each, stored one after the other, of a
/// tile the columns one after the other. A tile that ends above the panel's diagonal has zeros
/// right of it, which are left out.
struct Tiling {
  std::int32_t rows, columns, lanes;

  std::int32_t tile_count() const { return (rows + lanes - 1) / lanes; }
  std::int32_t width(std::int32_t tile) const { return std::min(columns, (tile + 1) * lanes); }
  std::int64_t size() const {
    std::int64_t columns_total = 0;
    for (std::int32_t t = 0; t < tile_count(); ++t)
      columns_total += width(t);
    return columns_total * lanes;
  }
};

/// Rows of `tiles` tiles that follow each other, of `width` columns each, times x_k, written from
/// y[k] on. Several at once, so that sums need not wait for each other.
template <std::size_t tiles, int count, typename Scalar>
void multiply_tiles(const Scalar* panel, std::int32_t width,
                    const std::array<const Scalar*, count>& x, Scalar* y, std::size_t y_stride) {
  using Vector = typename Lanes<Scalar>::type;
  constexpr std::size_t lanes = at(Lanes<Scalar>::count);
  std::array<std::array<Vector, count>, tiles> sums{};
  for (std::size_t j = 0; j < at(width); ++j) {
    std::array<Vector, count> values;
#pragma GCC unroll 4
    for (std::size_t k = 0; k < count; ++k)
      values[k] = Vector{} + x[k][j];
#pragma GCC unroll 4
    for (std::size_t t = 0; t < tiles; ++t) {
      const Vector column = load(panel + (t * at(width) + j) * lanes);
#pragma GCC unroll 4
      for (std::size_t k = 0; k < count; ++k)
        sums[t][k] = multiply_add(column, values[k], sums[t][k]);
    }
  }
#pragma GCC unroll 4
  for (std::size_t t = 0; t < tiles; ++t) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < count; ++k)
      store(sums[t][k], y + k * y_stride + t * lanes);
  }
}

/// y_k = P x_k for `count` vectors; x_k starts at x[k], y_k at y + k y_stride.
template <int count, typename Scalar>
void multiply(const Tiling& tiling, const Scalar* panel, const std::array<const Scalar*, count>& x,
              Scalar* y, std::size_t y_stride) {
  const std::int32_t tiles = tiling.tile_count();
  for (std::int32_t t = 0; t < tiles;) {
    const std::int32_t width = tiling.width(t);
    Scalar* to = y + at(t * tiling.lanes);
    std::int32_t done = 1;
    if (width == tiling.columns && t + 4 <= tiles) {
      multiply_tiles<4, count>(panel, width, x, to, y_stride);
      done = 4;
    } else if (width == tiling.columns && t + 2 <= tiles) {
      multiply_tiles<2, count>(panel, width, x, to, y_stride);
      done = 2;
    } else {
      multiply_tiles<1, count>(panel, width, x, to, y_stride);
    }
    panel += std::int64_t{done} * width * tiling.lanes;
    t += done;
  }
}

/// x_k = P^T y_k, as above. y is padded with zeros to whole tiles.
template <int count, typename Scalar>
void multiply_transposed(const Tiling& tiling, const Scalar* panel, const Scalar* y,
                         std::size_t y_stride, const std::array<Scalar*, count>& x) {
  using Vector = typename Lanes<Scalar>::type;
  constexpr std::int32_t at_once = 4;
  const std::int32_t tiles = tiling.tile_count();
  std::int64_t first_tile = 0;  // Where the first tile that has column j begins.
  for (std::int32_t j = 0; j < tiling.columns; j += at_once) {
    const std::int32_t columns = std::min(at_once, tiling.columns - j);
    const std::int32_t t_0 = j / tiling.lanes;
    if (j > 0 && j % tiling.lanes == 0)
      first_tile += std::int64_t{tiling.width(t_0 - 1)} * tiling.lanes;
    std::array<std::array<Vector, at_once>, count> sums{};
    const Scalar* tile = panel + first_tile + j * tiling.lanes;
    if (columns == at_once) {
      for (std::int32_t t = t_0; t < tiles; tile += tiling.width(t) * tiling.lanes, ++t) {
        std::array<Vector, count> values;
#pragma GCC unroll 4
        for (std::size_t k = 0; k < count; ++k)
          values[k] = load(y + k * y_stride + at(t * tiling.lanes));
#pragma GCC unroll 4
        for (std::size_t c = 0; c < at_once; ++c) {
          const Vector column = load(tile + c * at(tiling.lanes));
#pragma GCC unroll 4
          for (std::size_t k = 0; k < count; ++k)
            sums[k][c] = multiply_add(column, values[k], sums[k][c]);
        }
      }
    } else {
      for (std::int32_t t = t_0; t < tiles; tile += tiling.width(t) * tiling.lanes, ++t) {
        for (std::size_t c = 0; c < at(columns); ++c) {
          const Vector column = load(tile + c * at(tiling.lanes));
#pragma GCC unroll 4
          for (std::size_t k = 0; k < count; ++k)
            sums[k][c] =
                multiply_add(column, load(y + k * y_stride + at(t * tiling.lanes)), sums[k][c]);
        }
      }
    }
#pragma GCC unroll 4
    for (std::size_t k = 0; k < count; ++k) {
      const auto totals = sum_each(sums[k]);
      std::copy_n(totals.begin(), columns, x[k] + at(j));
    }
  }
}

}  // namespace

template <typename Scalar>
SparseCholesky<Scalar>::SparseCholesky(const SparsePattern& pattern, EntryKind kind)
    : shape_(find_supernodes(pattern, nested_dissection(pattern))),
      block_(kind == EntryKind::block ? 3 : 1),
      first_source_{0},
      panel_starts_{0},
      children_(shape_.supernodes.size()),
      local_(pattern.row_count()),
      updates_(shape_.supernodes.size()),
      work_(3 * pattern.row_count()) {
  std::int32_t longest = 0;
  for (std::size_t s = 0; s < shape_.supernodes.size(); ++s) {
    const Supernode& own = shape_.supernodes[s];
    if (own.parent >= 0) children_[at(own.parent)].push_back(static_cast<std::int32_t>(s));
    for (std::int32_t n = 0; n < own.row_count; ++n)
      local_[at(shape_.rows[at(own.first_row + n)])] = own.column_count + n;
    for (std::int32_t c = 0; c < own.column_count; ++c) {
      const std::int32_t place = own.first_column + c, row = shape_.order[at(place)];
      local_[at(place)] = c;
      for (std::int32_t n = pattern.row_starts[at(row)]; n < pattern.row_starts[at(row) + 1]; ++n) {
        const std::int32_t other = shape_.place[at(pattern.columns[at(n)])];
        if (other < place) continue;
        const std::int32_t in_front = other < own.first_column + own.column_count
                                          ? other - own.first_column
                                          : local_[at(other)];
        // Row `row` of the matrix is the column of the factor here.
        sources_.push_back({n, in_front, c, true});
      }
    }
    first_source_.push_back(static_cast<std::int32_t>(sources_.size()));
    const Tiling tiling{(own.column_count + own.row_count) * block_, own.column_count * block_,
                        Lanes<Scalar>::count};
    panel_starts_.push_back(panel_starts_.back() + tiling.size());
    longest = std::max(longest, tiling.tile_count() * tiling.lanes);
  }
  panels_.resize(static_cast<std::size_t>(panel_starts_.back()));
  gathered_.resize(3 * at(longest));
}

template <typename Scalar>
bool SparseCholesky<Scalar>::factor(std::span<const double> entries) {
  for (std::size_t s = 0; s < shape_.supernodes.size(); ++s) {
    if (!factor_supernode(s, entries)) return false;
    store_panel(s);
  }
  return true;
}

template <typename Scalar>
bool SparseCholesky<Scalar>::factor_supernode(std::size_t s, std::span<const double> entries) {
  const Supernode& own = shape_.supernodes[s];
  const Eigen::Index columns = Eigen::Index{own.column_count} * block_,
                     rows = Eigen::Index{own.row_count} * block_;
  const std::int32_t end = own.first_column + own.column_count;
  panel_.setZero(columns + rows, columns);
  Eigen::MatrixXd& update = updates_[s];
  update.setZero(rows, rows);
  for (std::int32_t n = first_source_[s]; n < first_source_[s + 1]; ++n) {
    const Source& source = sources_[at(n)];
    if (block_ == 1) {
      panel_(source.row, source.column) = entries[at(source.entry)];
    } else {
      const Eigen::Map<const Mat3> block(entries.data() + 9 * at(source.entry));
      panel_.block<3, 3>(3 * source.row, 3 * source.column) = block.transpose();
    }
  }
  for (std::int32_t n = 0; n < own.row_count; ++n)
    local_[at(shape_.rows[at(own.first_row + n)])] = own.column_count + n;
  for (const std::int32_t c : children_[s]) {
    const Supernode& child = shape_.supernodes[at(c)];
    const Eigen::MatrixXd& from = updates_[at(c)];
    const auto place = [&](std::int32_t n) {
      const std::int32_t row = shape_.rows[at(child.first_row + n)];
      return block_ * (row < end ? row - own.first_column : local_[at(row)]);
    };
    for (std::int32_t j = 0; j < child.row_count; ++j) {
      const Eigen::Index to_column = place(j);
      for (std::int32_t i = j; i < child.row_count; ++i) {
        const Eigen::Index to_row = place(i);
        for (std::int32_t q = 0; q < block_; ++q) {
          for (std::int32_t p = 0; p < block_; ++p) {
            const double value = from(block_ * i + p, block_ * j + q);
            if (to_column < columns) {
              panel_(to_row + p, to_column + q) += value;
            } else {
              update(to_row - columns + p, to_column - columns + q) += value;
            }
          }
        }
      }
    }
    updates_[at(c)].resize(0, 0);
  }
  auto diagonal = panel_.topRows(columns);
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> llt(diagonal);
  if (llt.info() != Eigen::Success) return false;
  const auto L = diagonal.template triangularView<Eigen::Lower>();
  if (rows > 0) {
    auto below = panel_.bottomRows(rows);
    L.transpose().template solveInPlace<Eigen::OnTheRight>(below);
    update.template selfadjointView<Eigen::Lower>().rankUpdate(below, -1);
  }
  return true;
}

template <typename Scalar>
void SparseCholesky<Scalar>::store_panel(std::size_t s) {
  const Supernode& own = shape_.supernodes[s];
  const Tiling tiling{(own.column_count + own.row_count) * block_, own.column_count * block_,
                      Lanes<Scalar>::count};
  Eigen::MatrixXd inverse = Eigen::MatrixXd::Identity(tiling.columns, tiling.columns);
  panel_.topRows(tiling.columns).template triangularView<Eigen::Lower>().solveInPlace(inverse);
  const Eigen::Index below = tiling.rows - tiling.columns;
  panel_.bottomRows(below) = (panel_.bottomRows(below) * inverse).eval();
  panel_.topRows(tiling.columns) = inverse;
  Scalar* to = panels_.data() + panel_starts_[s];
  for (std::int32_t t = 0; t < tiling.tile_count(); ++t) {
    for (std::int32_t j = 0; j < tiling.width(t); ++j) {
      for (std::int32_t i = t * tiling.lanes; i < (t + 1) * tiling.lanes; ++i)
        *to++ = i < tiling.rows ? static_cast<Scalar>(panel_(i, j)) : Scalar{0};
    }
  }
}

/// Asks for the panel that comes next: kernels jump about in one, and would wait for every line.
template <typename Scalar>
void SparseCholesky<Scalar>::prefetch_panel(std::size_t s) const {
  if (s >= shape_.supernodes.size()) return;
  constexpr std::int64_t line = 64 / sizeof(Scalar);
  for (std::int64_t n = panel_starts_[s]; n < panel_starts_[s + 1]; n += line)
    __builtin_prefetch(&panels_[static_cast<std::size_t>(n)]);
}

template <typename Scalar>
template <int count>
void SparseCholesky<Scalar>::solve_permuted() {
  const std::size_t stride = work_.size() / count, y_stride = gathered_.size() / 3;
  const auto tiling_of = [&](const Supernode& own) {
    return Tiling{(own.column_count + own.row_count) * block_, own.column_count * block_,
                  Lanes<Scalar>::count};
  };
  for (std::size_t s = 0; s < shape_.supernodes.size(); ++s) {
    const Supernode& own = shape_.supernodes[s];
    const Tiling tiling = tiling_of(own);
    prefetch_panel(s + 1);
    const std::size_t first = at(own.first_column * block_);
    std::array<const Scalar*, count> x;
    for (std::size_t k = 0; k < count; ++k)
      x[k] = work_.data() + k * stride + first;
    multiply<count>(tiling, panels_.data() + panel_starts_[s], x, gathered_.data(), y_stride);
    for (std::size_t k = 0; k < count; ++k) {
      const Scalar* y = gathered_.data() + k * y_stride;
      Scalar* to = work_.data() + k * stride;
      std::copy_n(y, tiling.columns, to + first);
      y += tiling.columns;
      for (std::int32_t n = 0; n < own.row_count; ++n) {
        const std::int32_t row = shape_.rows[at(own.first_row + n)] * block_;
        for (std::int32_t p = 0; p < block_; ++p)
          to[row + p] -= *y++;
      }
    }
  }
  for (std::size_t s = shape_.supernodes.size(); s-- > 0;) {
    const Supernode& own = shape_.supernodes[s];
    const Tiling tiling = tiling_of(own);
    prefetch_panel(s - 1);
    const std::size_t first = at(own.first_column * block_);
    std::array<Scalar*, count> x;
    for (std::size_t k = 0; k < count; ++k) {
      const Scalar* from = work_.data() + k * stride;
      x[k] = work_.data() + k * stride + first;
      Scalar* y = gathered_.data() + k * y_stride;
      y = std::copy_n(x[k], tiling.columns, y);
      for (std::int32_t n = 0; n < own.row_count; ++n) {
        const std::int32_t row = shape_.rows[at(own.first_row + n)] * block_;
        for (std::int32_t p = 0; p < block_; ++p)
          *y++ = -from[row + p];
      }
      std::fill(y, gathered_.data() + k * y_stride + tiling.tile_count() * tiling.lanes, Scalar{0});
    }
    multiply_transposed<count>(tiling, panels_.data() + panel_starts_[s], gathered_.data(),
                               y_stride, x);
  }
}

template <typename Scalar>
void SparseCholesky<Scalar>::solve(std::span<const Vec3> b, std::span<Vec3> x) {
  const std::size_t count = shape_.order.size();
  assert(b.size() == count && x.size() == count);
  // Scalar entries: one vector a coordinate. Blocks: one vector of all numbers.
  const std::size_t row_stride = block_ == 1 ? 1 : 3, coordinate_stride = block_ == 1 ? count : 1;
  for (std::size_t p = 0; p < count; ++p) {
    const Vec3& from = b[at(shape_.order[p])];
    for (std::size_t c = 0; c < 3; ++c) {
      work_[p * row_stride + c * coordinate_stride] =
          static_cast<Scalar>(from[static_cast<Eigen::Index>(c)]);
    }
  }
  if (block_ == 1) {
    solve_permuted<3>();
  } else {
    solve_permuted<1>();
  }
  for (std::size_t p = 0; p < count; ++p) {
    Vec3& to = x[at(shape_.order[p])];
    for (std::size_t c = 0; c < 3; ++c)
      to[static_cast<Eigen::Index>(c)] = work_[p * row_stride + c * coordinate_stride];
  }
}

template <typename Scalar>
void SparseCholesky<Scalar>::solve(const std::array<const float*, 3>& b,
                                   const std::array<float*, 3>& x) {
  assert(block_ == 1);
  const std::size_t count = shape_.order.size();
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t p = 0; p < count; ++p)
      work_[c * count + p] = static_cast<Scalar>(b[c][shape_.order[p]]);
  }
  solve_permuted<3>();
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t p = 0; p < count; ++p)
      x[c][shape_.order[p]] = static_cast<float>(work_[c * count + p]);
  }
}

template class SparseCholesky<float>;
template class SparseCholesky<double>;

}  // namespace sluice::linalg
