// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/fast_poisson.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "solver/parallel/parallel_for.h"
#include "solver/simd/particle_lanes.h"

namespace sluice::fluid::grid {

using namespace simd;

namespace {

// Sixteen lines each, of a chunk.
template <int D>
constexpr std::int64_t fast_poisson_grain = D == 3 ? 16 : 4;

// Modes that are eliminated side by side: four registers' worth, which hides how long an addition
// takes.
constexpr std::size_t modes_at_once = 32;
constexpr std::int64_t elimination_grain = 2;  // Groups of `modes_at_once`.

// Behind rows whose length is often a power of 2, so that they do not meet in the caches.
constexpr std::size_t gap = 16;  // Floats.

constexpr std::size_t round_up(std::size_t count, std::size_t unit) {
  return (count + unit - 1) / unit * unit;
}

// Eight rows of eight become columns.
void transpose(std::array<Float8, 8>& rows) {
  Float8 upper[4], lower[4];
  std::copy_n(rows.begin(), 4, upper);
  std::copy_n(rows.begin() + 4, 4, lower);
  transpose_fours<8>(upper);
  transpose_fours<8>(lower);
  for (std::size_t i = 0; i < 4; ++i) {
    rows[i] = join(low_half(upper[i]), low_half(lower[i]));
    rows[i + 4] = join(high_half(upper[i]), high_half(lower[i]));
  }
}

// The memory that sixteen lines are transformed in; 0 behind their ends, up to a multiple of 8.
class LinePlaces {
 public:
  explicit LinePlaces(std::size_t count) : one_(round_up(count, 8)), two_(one_.size()) {}

  [[nodiscard]] Sixteen* one() { return one_.data(); }
  [[nodiscard]] Sixteen* two() { return two_.data(); }

 private:
  std::vector<Sixteen> one_, two_;
};

// Line i to where rows + i * stride is, and back.
void put_lines(const Sixteen* places, std::size_t count, float* rows, std::size_t stride) {
  for (std::size_t k = 0; k < count; k += 8) {
    std::array<Float8, 8> low, high;
    for (std::size_t i = 0; i < 8; ++i) {
      low[i] = places[k + i].low;
      high[i] = places[k + i].high;
    }
    transpose(low);
    transpose(high);
    for (std::size_t i = 0; i < 8; ++i) {
      store8(rows + i * stride + k, low[i]);
      store8(rows + (i + 8) * stride + k, high[i]);
    }
  }
}

void get_lines(const float* rows, std::size_t stride, std::size_t count, Sixteen* places) {
  for (std::size_t k = 0; k < count; k += 8) {
    std::array<Float8, 8> low, high;
    for (std::size_t i = 0; i < 8; ++i) {
      low[i] = load8(rows + i * stride + k);
      high[i] = load8(rows + (i + 8) * stride + k);
    }
    transpose(low);
    transpose(high);
    for (std::size_t i = 0; i < 8; ++i)
      places[k + i] = {low[i], high[i]};
  }
}

// Where sixteen cells next to each other along x are, of all along the last axis: visit(place
// along it, index of the first eight, index of the last eight), one of which may be in the tile of
// zeros.
template <int D, typename Visit>
void visit_lines(const Tiles<D>& tiles, const UniformBox<D>& box, std::size_t column, std::size_t y,
                 const Visit& visit) {
  constexpr std::size_t last = D - 1, step = stride<D>(D - 1);
  const auto count = static_cast<std::size_t>(box.count[last]);
  Cell<D> cell = box.first;
  cell[0] += static_cast<std::int32_t>(16 * column);
  if constexpr (D == 3) cell[1] += static_cast<std::int32_t>(y);
  for (std::size_t z = 0; z < count; z += tile_edge<D>) {
    Cell<D> next = cell;
    next[0] += 8;
    const std::size_t low = tiles.find_cell(cell), high = tiles.find_cell(next);
    const std::size_t end = std::min<std::size_t>(tile_edge<D>, count - z);
    for (std::size_t i = 0; i < end; ++i)
      visit(z + i, low + i * step, high + i * step);
    cell[last] += tile_edge<D>;
  }
}

std::size_t length(std::int32_t count) { return static_cast<std::size_t>(count); }

}  // namespace

template <int D>
FastPoisson<D>::FastPoisson(const PoissonSystem<D>& system, const UniformBox<D>& box)
    : system_(system), box_(box), columns_(round_up(length(box.count[0]), 16) / 16) {
  for (std::size_t axis = 0; axis < D; ++axis) {
    const LineEnds& ends = box.ends[axis];
    is_singular_ = is_singular_ && !ends.is_open[0] && !ends.is_open[1];
    if (axis > 0) transforms_.emplace_back(length(box.count[axis]), ends);
  }
  const std::size_t count = length(box.count[0]);
  if (box.ends[0].is_periodic) {
    assert(count % 2 == 0);
    lines_ = {{0, count / 2, {false, false}}, {count / 2, count / 2, {true, true}}};
  } else {
    lines_ = {{0, count, box.ends[0].is_open}};
  }
  modes_along_y_ = round_up(transforms_[0].count(), 8);
  const std::size_t planes = D == 3 ? transforms_[D - 2].count() : 1;
  mode_count_ = round_up(planes * modes_along_y_, modes_at_once);
  mode_stride_ = mode_count_ + gap;
  modes_.assign(16 * columns_ * mode_stride_, 0);
  if constexpr (D == 3) {
    plane_stride_ = length(box.count[1]) * 16 * columns_ + gap;
    planes_.assign(planes * plane_stride_, 0);
  }
  find_pivots();
}

// Finds the pivots of Gauss's elimination without an exchange of rows, which such matrices do not
// need [Golub2013], 4.3.
template <int D>
void FastPoisson<D>::find_pivots() {
  std::vector<double> eigenvalues;
  for (std::size_t z = 0; z < (D == 3 ? transforms_[D - 2].count() : 1); ++z) {
    for (std::size_t y = 0; y < transforms_[0].count(); ++y) {
      const double along_z = D == 3 ? transforms_[D - 2].eigenvalue(z) : 0;
      eigenvalues.push_back(transforms_[0].eigenvalue(y) + along_z);
    }
  }
  pivots_.assign(modes_.size(), 0);
  const std::size_t along_y = transforms_[0].count();
  constexpr std::int64_t eigenvalue_grain = 256;
  parallel::parallel_for(
      0, static_cast<std::int64_t>(eigenvalues.size()), eigenvalue_grain,
      [&](std::int64_t begin, std::int64_t end) {
        for (const Line& line : lines_) {
          std::vector<double> before(static_cast<std::size_t>(end - begin), 0);
          for (std::size_t row = 0; row < line.count; ++row) {
            const bool is_first = row == 0, is_last = row + 1 == line.count;
            const double sides = (is_first ? (line.is_open[0] ? 2.0 : 0.0) : 1.0) +
                                 (is_last ? (line.is_open[1] ? 2.0 : 0.0) : 1.0);
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
              double& inverse = before[i - static_cast<std::size_t>(begin)];
              const double pivot = sides + eigenvalues[i] - inverse;
              // 0 at the end of the constant's line alone.
              inverse = pivot > 0 ? 1 / pivot : 0;
              const std::size_t mode = i / along_y * modes_along_y_ + i % along_y;
              pivots_[(line.first + row) * mode_stride_ + mode] = static_cast<float>(inverse);
            }
          }
        }
      });
}

template <int D>
void FastPoisson<D>::apply(std::span<const float> r, std::span<float> z) {
  to_modes(r);
  if constexpr (D == 3) planes_to_modes();
  parallel::parallel_for(0, static_cast<std::int64_t>(mode_count_ / modes_at_once),
                         elimination_grain, [&](std::int64_t begin, std::int64_t end) {
                           for (auto i = static_cast<std::size_t>(begin);
                                i < static_cast<std::size_t>(end); ++i)
                             eliminate(i * modes_at_once);
                         });
  if constexpr (D == 3) modes_to_planes();
  from_modes(z);
}

// Along the last axis.
template <int D>
void FastPoisson<D>::to_modes(std::span<const float> r) {
  const LineTransform& transform = transforms_[D - 2];
  for_each_group(D == 3 ? length(box_.count[1]) : 1, transform.count(),
                 [&](std::size_t y, std::size_t column, LinePlaces& places) {
                   visit_lines<D>(system_.tiles(), box_, column, y,
                                  [&](std::size_t k, std::size_t low, std::size_t high) {
                                    places.one()[k] = {load8(&r[low]), load8(&r[high])};
                                  });
                   const Sixteen* const modes = transform.forward(places.one(), places.two());
                   if constexpr (D == 2) {
                     put_lines(modes, transform.count(), modes_of(column, 0), mode_stride_);
                   } else {
                     for (std::size_t k = 0; k < transform.count(); ++k)
                       std::memcpy(in_plane(k, y, column), &modes[k], sizeof(Sixteen));
                   }
                 });
}

template <int D>
void FastPoisson<D>::from_modes(std::span<float> z) {
  const LineTransform& transform = transforms_[D - 2];
  const float scale = 1 / system_.uniform();
  const std::size_t end = system_.tiles().count() * tile_size<D>;
  for_each_group(D == 3 ? length(box_.count[1]) : 1, transform.count(),
                 [&](std::size_t y, std::size_t column, LinePlaces& places) {
                   if constexpr (D == 2) {
                     get_lines(modes_of(column, 0), mode_stride_, transform.count(), places.one());
                   } else {
                     for (std::size_t k = 0; k < transform.count(); ++k)
                       std::memcpy(&places.one()[k], in_plane(k, y, column), sizeof(Sixteen));
                   }
                   const Sixteen* const cells = transform.inverse(places.one(), places.two());
                   // Lines behind the box have the rounding of those that they went with.
                   const auto left = box_.count[0] - static_cast<std::int32_t>(16 * column);
                   const Int8 lane{0, 1, 2, 3, 4, 5, 6, 7};
                   const Int8 is_low_inside = lane < left, is_high_inside = lane + 8 < left;
                   visit_lines<D>(system_.tiles(), box_, column, y,
                                  [&](std::size_t k, std::size_t low, std::size_t high) {
                                    const Sixteen cell = {scale * cells[k].low,
                                                          scale * cells[k].high};
                                    if (low < end)
                                      store8(&z[low], is_low_inside ? cell.low : Float8{});
                                    if (high < end)
                                      store8(&z[high], is_high_inside ? cell.high : Float8{});
                                  });
                 });
}

// Along y.
template <int D>
void FastPoisson<D>::planes_to_modes() {
  const LineTransform& transform = transforms_[0];
  for_each_group(transforms_[D - 2].count(), transform.count(),
                 [&](std::size_t plane, std::size_t column, LinePlaces& places) {
                   for (std::size_t y = 0; y < transform.count(); ++y)
                     std::memcpy(&places.one()[y], in_plane(plane, y, column), sizeof(Sixteen));
                   put_lines(transform.forward(places.one(), places.two()), transform.count(),
                             modes_of(column, plane), mode_stride_);
                 });
}

template <int D>
void FastPoisson<D>::modes_to_planes() {
  const LineTransform& transform = transforms_[0];
  for_each_group(transforms_[D - 2].count(), transform.count(),
                 [&](std::size_t plane, std::size_t column, LinePlaces& places) {
                   get_lines(modes_of(column, plane), mode_stride_, transform.count(),
                             places.one());
                   const Sixteen* const cells = transform.inverse(places.one(), places.two());
                   for (std::size_t y = 0; y < transform.count(); ++y)
                     std::memcpy(in_plane(plane, y, column), &cells[y], sizeof(Sixteen));
                 });
}

// Calls body(which, column, places to work in) for sixteen lines next to each other at a time.
template <int D>
template <typename Body>
void FastPoisson<D>::for_each_group(std::size_t count, std::size_t line_length, const Body& body) {
  parallel::parallel_for(0, static_cast<std::int64_t>(count * columns_), fast_poisson_grain<D>,
                         [&](std::int64_t begin, std::int64_t end) {
                           LinePlaces places(line_length);
                           for (auto i = static_cast<std::size_t>(begin);
                                i < static_cast<std::size_t>(end); ++i)
                             body(i / columns_, i % columns_, places);
                         });
}

template <int D>
float* FastPoisson<D>::modes_of(std::size_t column, std::size_t plane) {
  return modes_.data() + 16 * column * mode_stride_ + plane * modes_along_y_;
}

template <int D>
float* FastPoisson<D>::in_plane(std::size_t plane, std::size_t y, std::size_t column) {
  return planes_.data() + plane * plane_stride_ + 16 * (y * columns_ + column);
}

// Modes from `first` on.
template <int D>
void FastPoisson<D>::eliminate(std::size_t first) {
  if (lines_.size() == 2) fold(first, 0.5F);
  const bool is_singular = is_singular_ && first == 0;
  if (is_singular) remove_mean(lines_[0]);
  for (const Line& line : lines_)
    solve_line(line, first);
  if (is_singular) remove_mean(lines_[0]);
  if (lines_.size() == 2) fold(first, 1);
}

// Takes its mean along the line off the mode that is constant across x.
template <int D>
void FastPoisson<D>::remove_mean(const Line& line) {
  double sum = 0;
  for (std::size_t row = 0; row < line.count; ++row)
    sum += static_cast<double>(modes_[(line.first + row) * mode_stride_]);
  const double mean = sum / static_cast<double>(line.count);
  for (std::size_t row = 0; row < line.count; ++row) {
    float& value = modes_[(line.first + row) * mode_stride_];
    value = static_cast<float>(static_cast<double>(value) - mean);
  }
}

// Sums and differences of what is as far from the middle, times `scale`.
template <int D>
void FastPoisson<D>::fold(std::size_t first, float scale) {
  const std::size_t count = length(box_.count[0]);
  for (std::size_t row = 0; row < count / 2; ++row) {
    float* const below = modes_.data() + row * mode_stride_ + first;
    float* const above = modes_.data() + (count - 1 - row) * mode_stride_ + first;
    for (std::size_t i = 0; i < modes_at_once; i += 8) {
      const Float8 a = load8(below + i), b = load8(above + i);
      store8(below + i, scale * (a + b));
      store8(above + i, scale * (a - b));
    }
  }
}

template <int D>
void FastPoisson<D>::solve_line(const Line& line, std::size_t first) {
  float* row = modes_.data() + line.first * mode_stride_ + first;
  const float* pivots = pivots_.data() + line.first * mode_stride_ + first;
  std::array<Float8, modes_at_once / 8> next{};
  for (std::size_t i = 0; i < line.count; ++i, row += mode_stride_, pivots += mode_stride_) {
    for (std::size_t m = 0; m < next.size(); ++m) {
      const Float8 pivot = load8(pivots + 8 * m);
      next[m] = pivot * load8(row + 8 * m) + pivot * next[m];
      store8(row + 8 * m, next[m]);
    }
  }
  next = {};
  for (std::size_t i = 0; i < line.count; ++i) {
    row -= mode_stride_;
    pivots -= mode_stride_;
    for (std::size_t m = 0; m < next.size(); ++m) {
      next[m] = load8(row + 8 * m) + load8(pivots + 8 * m) * next[m];
      store8(row + 8 * m, next[m]);
    }
  }
}

template class FastPoisson<2>;
template class FastPoisson<3>;

}  // namespace sluice::fluid::grid
