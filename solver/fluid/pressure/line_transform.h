// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "solver/simd/vectors.h"

namespace sluice::fluid::grid {

using namespace simd;

/// The values at one place of sixteen lines side by side.
struct alignas(64) Sixteen {
  Float8 low, high;  ///< Values of lines 0 to 7, and of lines 8 to 15.
};

/// The conditions at the ends of a line of cells.
struct LineEnds {
  bool is_periodic = false;       ///< Each end is next to the other one; none is open then.
  std::array<bool, 2> is_open{};  ///< Lower, upper: values are 0 at the end. Else there is a wall,
                                  ///< and they have no slope.
};

/// The modes of a line of cells: second differences
///
///     (L x)_j = (x_j - x_{j-1}) + (x_j - x_{j+1}),
///
/// with x's mirror images beyond walls and their opposites beyond open ends, have cosines, sines or
/// in a periodic line both as their eigenvectors [Strang1999].
///
/// Cosines come from a Fourier transform of as many places [Makhoul1980], which is Stockham's
/// [VanLoan1992], by factors of 4, 2 and odd primes p; a factor p costs p operations a place: any
/// count will do, and those of small factors are fast. Sixteen lines go together, as eight complex
/// ones, in vectors across lines: Debian's kissfft, and Eigen's copy of it, go a number at a time.
///
/// Accuracy: there and back within 1e-6 of the root of the mean square. Pure: for any thread, with
/// places of its own.
class LineTransform {
 public:
  /// The complex number exp(-i angle).
  struct Turn {
    float cosine, minus_sine;
  };

  /// `count` >= 1 cells.
  LineTransform(std::size_t count, const LineEnds& ends);

  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// The eigenvalue of L for a mode, in [0, 4].
  [[nodiscard]] double eigenvalue(std::size_t mode) const noexcept;

  /// Changes cells' values to modes: a mode is the sum of the values times the eigenvector, which
  /// has 1 as its largest value. Both are count() places, to work in; returns which of the two has
  /// the modes.
  [[nodiscard]] Sixteen* forward(Sixteen* lines, Sixteen* other) const;
  /// The inverse of forward().
  [[nodiscard]] Sixteen* inverse(Sixteen* lines, Sixteen* other) const;

 private:
  void order_cells(const Sixteen* cells, Sixteen* ordered) const;
  void find_cells(const Sixteen* ordered, Sixteen* cells) const;
  void part_modes(Sixteen* modes) const;
  void join_modes(Sixteen* modes) const;
  Sixteen* transform(Sixteen* from, Sixteen* to) const;
  [[nodiscard]] std::size_t partner(std::size_t mode) const noexcept;

  std::size_t count_;
  LineEnds ends_;
  bool is_shifted_;                   // Whether modes have half a wave more: one end alone is open.
  std::vector<std::size_t> factors_;  // The factors of count: 4, then primes.
  std::vector<Turn> turns_;           // 2 pi k / count
  std::vector<Turn> half_turns_;      // pi k / count, for shifted lines
  std::vector<Turn> of_modes_;        // pi (k + shift) / (2 count), or 0 for a periodic line
};

/// The largest prime factor of a positive number.
[[nodiscard]] std::size_t largest_factor(std::size_t number) noexcept;

}  // namespace sluice::fluid::grid
