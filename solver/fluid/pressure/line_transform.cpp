// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/pressure/line_transform.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

namespace sluice::fluid::grid {
namespace {

using Turn = LineTransform::Turn;

// Eight complex numbers: `low` are their real parts, `high` their imaginary parts.
inline Sixteen operator+(const Sixteen& a, const Sixteen& b) {
  return {a.low + b.low, a.high + b.high};
}
inline Sixteen operator-(const Sixteen& a, const Sixteen& b) {
  return {a.low - b.low, a.high - b.high};
}
inline Sixteen operator*(float a, const Sixteen& b) { return {a * b.low, a * b.high}; }
inline Sixteen operator*(Turn t, const Sixteen& a) {
  return {t.cosine * a.low - t.minus_sine * a.high, t.cosine * a.high + t.minus_sine * a.low};
}
inline Sixteen times_i(const Sixteen& a) { return {-a.high, a.low}; }

Turn turn_of(double angle) {
  return {static_cast<float>(std::cos(angle)), static_cast<float>(-std::sin(angle))};
}

// A pass makes of `count / factor` interleaved transforms' halves, thirds... ones of `factor` times
// the length [VanLoan1992] 1.7: `stride` is how long they are before.
struct Pass {
  std::size_t stride, rest;  // stride factor rest = count
  const Turn* turns;         // 2 pi k / count
};

void pass_of_two(const Pass& pass, const Sixteen* in, Sixteen* out) {
  const std::size_t s = pass.stride, half = s * pass.rest;
  for (std::size_t p = 0; p < pass.rest; ++p) {
    const Turn turn = pass.turns[s * p];
    for (std::size_t q = 0; q < s; ++q) {
      const Sixteen a = in[s * p + q], b = in[s * p + q + half];
      out[2 * s * p + q] = a + b;
      out[2 * s * p + s + q] = turn * (a - b);
    }
  }
}

void pass_of_four(const Pass& pass, const Sixteen* in, Sixteen* out) {
  const std::size_t s = pass.stride, quarter = s * pass.rest;
  for (std::size_t p = 0; p < pass.rest; ++p) {
    const Turn once = pass.turns[s * p], twice = pass.turns[2 * s * p],
               thrice = pass.turns[3 * s * p];
    for (std::size_t q = 0; q < s; ++q) {
      const Sixteen* const x = in + s * p + q;
      Sixteen* const y = out + 4 * s * p + q;
      const Sixteen even = x[0] + x[2 * quarter], even_half = x[0] - x[2 * quarter];
      const Sixteen odd = x[quarter] + x[3 * quarter];
      const Sixteen odd_half = times_i(x[quarter] - x[3 * quarter]);
      y[0] = even + odd;
      y[s] = once * (even_half - odd_half);
      y[2 * s] = twice * (even - odd);
      y[3 * s] = thrice * (even_half + odd_half);
    }
  }
}

// By what is even and what is odd in the place within a factor. `known` is the factor, or 0.
template <std::size_t known>
void pass_of_odd(const Pass& pass, std::size_t any, const Sixteen* in, Sixteen* out) {
  const std::size_t factor = known != 0 ? known : any;
  const std::size_t s = pass.stride, part = s * pass.rest, half = (factor - 1) / 2;
  for (std::size_t p = 0; p < pass.rest; ++p) {
    for (std::size_t q = 0; q < s; ++q) {
      const Sixteen* const x = in + s * p + q;
      Sixteen* const y = out + factor * s * p + q;
      Sixteen sum = x[0];
      for (std::size_t j = 1; j < factor; ++j)
        sum = sum + x[j * part];
      y[0] = sum;
      for (std::size_t k = 1; k <= half; ++k) {
        Sixteen even = x[0], odd{};
        for (std::size_t j = 1; j <= half; ++j) {
          const Turn turn = pass.turns[j * k % factor * part];
          even = even + turn.cosine * (x[j * part] + x[(factor - j) * part]);
          odd = odd + turn.minus_sine * (x[j * part] - x[(factor - j) * part]);
        }
        odd = times_i(odd);
        y[k * s] = pass.turns[k * s * p] * (even + odd);
        y[(factor - k) * s] = pass.turns[(factor - k) * s * p] * (even - odd);
      }
    }
  }
}

std::vector<std::size_t> factors_of(std::size_t count) {
  std::vector<std::size_t> factors;
  for (; count % 4 == 0; count /= 4)
    factors.push_back(4);
  for (std::size_t factor = 2; count > 1; ++factor) {
    if (factor * factor > count) factor = count;
    for (; count % factor == 0; count /= factor)
      factors.push_back(factor);
  }
  return factors;
}

}  // namespace

LineTransform::LineTransform(std::size_t count, const LineEnds& ends)
    : count_(count),
      ends_(ends),
      is_shifted_(ends.is_open[0] != ends.is_open[1]),
      factors_(factors_of(count)) {
  assert(count >= 1 && !(ends.is_periodic && (ends.is_open[0] || ends.is_open[1])));
  const double half_turn = std::numbers::pi / static_cast<double>(count);
  const double shift = is_shifted_ ? 0.5 : 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto place = static_cast<double>(k);
    turns_.push_back(turn_of(2 * half_turn * place));
    if (is_shifted_) half_turns_.push_back(turn_of(half_turn * place));
    of_modes_.push_back(turn_of(ends.is_periodic ? 0 : 0.5 * half_turn * (place + shift)));
  }
}

double LineTransform::eigenvalue(std::size_t mode) const noexcept {
  const auto count = static_cast<double>(count_);
  double half_waves = 2 * static_cast<double>(mode);
  if (!ends_.is_periodic) {
    half_waves = static_cast<double>(mode) + (is_shifted_ ? 0.5 : 0);
    // Sines: cosines of (-1)^j x_j.
    if (ends_.is_open[0]) half_waves = count - half_waves;
  }
  const double sine = std::sin(0.5 * std::numbers::pi * half_waves / count);
  return 4 * sine * sine;
}

Sixteen* LineTransform::forward(Sixteen* lines, Sixteen* other) const {
  order_cells(lines, other);
  Sixteen* const modes = transform(other, lines);
  part_modes(modes);
  return modes;
}

// A Fourier transform's inverse is the transform with real and imaginary parts exchanged before and
// after, over count.
Sixteen* LineTransform::inverse(Sixteen* lines, Sixteen* other) const {
  join_modes(lines);
  Sixteen* const ordered = transform(lines, other);
  Sixteen* const cells = ordered == lines ? other : lines;
  find_cells(ordered, cells);
  return cells;
}

Sixteen* LineTransform::transform(Sixteen* from, Sixteen* to) const {
  std::size_t stride = 1;
  for (const std::size_t factor : factors_) {
    const Pass pass{stride, count_ / (stride * factor), turns_.data()};
    if (factor == 4) {
      pass_of_four(pass, from, to);
    } else if (factor == 2) {
      pass_of_two(pass, from, to);
    } else if (factor == 3) {
      pass_of_odd<3>(pass, 3, from, to);
    } else if (factor == 5) {
      pass_of_odd<5>(pass, 5, from, to);
    } else {
      pass_of_odd<0>(pass, factor, from, to);
    }
    std::swap(from, to);
    stride *= factor;
  }
  return from;
}

// First cells 0, 2, 4..., then those left, backwards. In shifted lines what is beyond the middle is
// a mirror image with the other sign, and frequencies are half a wave more.
void LineTransform::order_cells(const Sixteen* cells, Sixteen* ordered) const {
  if (ends_.is_periodic) {
    std::copy_n(cells, count_, ordered);
    return;
  }
  const float of_odd = ends_.is_open[0] != is_shifted_ ? -1.0F : 1.0F;
  for (std::size_t j = 0; 2 * j < count_; ++j)
    ordered[j] = cells[2 * j];
  for (std::size_t j = 0; 2 * j + 1 < count_; ++j)
    ordered[count_ - 1 - j] = of_odd * cells[2 * j + 1];
  for (std::size_t j = 0; is_shifted_ && j < count_; ++j)
    ordered[j] = half_turns_[j] * ordered[j];
}

// From exchanged parts.
void LineTransform::find_cells(const Sixteen* ordered, Sixteen* cells) const {
  const float of_odd = ends_.is_open[0] != is_shifted_ ? -1.0F : 1.0F;
  for (std::size_t j = 0; j < count_; ++j) {
    Sixteen cell{ordered[j].high, ordered[j].low};
    if (is_shifted_) cell = Turn{half_turns_[j].cosine, -half_turns_[j].minus_sine} * cell;
    if (ends_.is_periodic) {
      cells[j] = cell;
    } else if (2 * j < count_) {
      cells[2 * j] = cell;
    } else {
      cells[2 * (count_ - 1 - j) + 1] = of_odd * cell;
    }
  }
}

// The frequency that has, of a real line, the conjugate of a mode's.
std::size_t LineTransform::partner(std::size_t mode) const noexcept {
  if (is_shifted_) return count_ - 1 - mode;
  return mode == 0 ? 0 : count_ - mode;
}

// Two real lines a and b went as a + i b; a mode of each is the real part of its frequency, turned,
// and its partner's mode minus the imaginary part.
void LineTransform::part_modes(Sixteen* modes) const {
  for (std::size_t k = 0; k < count_; ++k) {
    const std::size_t p = partner(k);
    if (p < k) continue;
    const Turn turn = of_modes_[k];
    if (p == k) {
      modes[k] = turn.cosine * modes[k];
      continue;
    }
    const Sixteen z = modes[k], w = modes[p];
    const Float8 real_a = 0.5F * (z.low + w.low), imaginary_a = 0.5F * (z.high - w.high);
    const Float8 real_b = 0.5F * (z.high + w.high), imaginary_b = 0.5F * (w.low - z.low);
    const Sixteen a = turn * Sixteen{real_a, imaginary_a};
    const Sixteen b = turn * Sixteen{real_b, imaginary_b};
    modes[k] = {a.low, b.low};
    modes[p] = {-a.high, -b.high};
  }
}

// The inverse, over count; with exchanged parts.
void LineTransform::join_modes(Sixteen* modes) const {
  const float scale = 1 / static_cast<float>(count_);
  for (std::size_t k = 0; k < count_; ++k) {
    const std::size_t p = partner(k);
    if (p < k) continue;
    const Turn turn = of_modes_[k];
    if (p == k) {
      const Sixteen z = scale / turn.cosine * modes[k];
      modes[k] = {z.high, z.low};
      continue;
    }
    const Turn back{scale * turn.cosine, -scale * turn.minus_sine};
    const Sixteen x = modes[k], y = modes[p];
    const Sixteen a = back * Sixteen{x.low, -y.low};
    const Sixteen b = back * Sixteen{x.high, -y.high};
    modes[k] = {a.high + b.low, a.low - b.high};
    modes[p] = {b.low - a.high, a.low + b.high};
  }
}

std::size_t largest_factor(std::size_t number) noexcept {
  std::size_t largest = 1;
  for (std::size_t factor = 2; factor * factor <= number; ++factor) {
    for (; number % factor == 0; number /= factor)
      largest = factor;
  }
  return std::max(largest, number);
}

}  // namespace sluice::fluid::grid
