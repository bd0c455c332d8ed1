// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/parallel/parallel_for.h"
#include "solver/parallel/parallel_reduce.h"

/// The iteration of ConjugateGradients, for the files that instantiate it for a system.
namespace sluice::fluid::grid {

namespace detail {

inline constexpr std::int64_t solver_tiles_at_once = 16;

// Sum of term(i) over the values of a vector in all tiles with unknowns.
template <int D, typename System, typename Term>
double total(const System& system, const Term& term) {
  const std::span<const std::uint32_t> tiles = system.solved_tiles();
  return parallel::parallel_reduce(
      0, static_cast<std::int64_t>(tiles.size()), solver_tiles_at_once, 0.0,
      [&](std::int64_t begin, std::int64_t end) {
        // Eight sums side by side, for the compiler to make vectors of.
        std::array<double, 8> sums{};
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
          for (std::size_t component = 0; component < System::components; ++component) {
            const std::size_t first =
                component * system.tiles().array_size() + tiles[t] * tile_size<D>;
            for (std::size_t i = first; i < first + tile_size<D>; i += sums.size()) {
              for (std::size_t lane = 0; lane < sums.size(); ++lane)
                sums[lane] += term(i + lane);
            }
          }
        }
        return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
               ((sums[4] + sums[5]) + (sums[6] + sums[7]));
      },
      [](double a, double b) { return a + b; });
}

// Calls change(i) for the values of a vector in all tiles with unknowns.
template <int D, typename System, typename Change>
void for_each_value(const System& system, const Change& change) {
  const std::span<const std::uint32_t> tiles = system.solved_tiles();
  parallel::parallel_for(
      0, static_cast<std::int64_t>(tiles.size()), solver_tiles_at_once,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
          for (std::size_t component = 0; component < System::components; ++component) {
            const std::size_t first =
                component * system.tiles().array_size() + tiles[t] * tile_size<D>;
            for (std::size_t i = first; i < first + tile_size<D>; ++i)
              change(i);
          }
        }
      });
}

// Sets to 0 the values of a vector in tiles without unknowns.
template <int D, typename System, typename T>
void clear_rest(const System& system, std::span<T> values) {
  const std::span<const std::uint32_t> tiles = system.solved_tiles();
  const std::size_t size = system.tiles().array_size();
  parallel::parallel_for(
      0, static_cast<std::int64_t>(tiles.size()) + 1, solver_tiles_at_once,
      [&](std::int64_t begin, std::int64_t end) {
        for (auto t = static_cast<std::size_t>(begin); t < static_cast<std::size_t>(end); ++t) {
          const std::size_t first = t == 0 ? 0 : (tiles[t - 1] + std::size_t{1}) * tile_size<D>;
          const std::size_t last = t == tiles.size() ? size : tiles[t] * tile_size<D>;
          for (std::size_t component = 0; component < System::components; ++component)
            std::fill_n(values.data() + component * size + first, last - first, T{0});
        }
      });
}

}  // namespace detail

template <int D, typename System>
SolveReport ConjugateGradients<D, System>::solve(const System& system,
                                                 Preconditioner& preconditioner,
                                                 std::span<double> b, double tolerance,
                                                 int max_iterations, std::span<double> x) {
  const std::size_t size = System::components * system.tiles().array_size();
  const double norm =
      std::sqrt(detail::total<D>(system, [&](std::size_t i) { return b[i] * b[i]; }));
  if (norm == 0 || !std::isfinite(norm)) {
    std::fill(x.begin(), x.end(), 0.0);
    return {0, norm, norm == 0};
  }
  image_.resize(size);
  for (Array<float>* const vector : {&scaled_residual_, &preconditioned_, &direction_}) {
    vector->resize(size);
    detail::clear_rest<D>(system, std::span(*vector));
  }
  detail::clear_rest<D>(system, x);
  // The preconditioner sees residuals of about 1: in float, others might be too small or too large.
  const double scale = 1 / norm;
  detail::for_each_value<D>(system, [&](std::size_t i) {
    scaled_residual_[i] = static_cast<float>(scale * b[i]);
    preconditioned_[i] = 0;
    direction_[i] = 0;
    x[i] = 0;
  });
  SolveReport report{0, 1, false};
  for (double rho = 0; report.iterations < max_iterations;) {
    preconditioner.apply(scaled_residual_, preconditioned_);
    const double rho_before = rho;
    rho = detail::total<D>(
        system, [&](std::size_t i) { return b[i] * static_cast<double>(preconditioned_[i]); });
    if (report.iterations == 0) {
      direction_.swap(preconditioned_);
    } else {
      const auto beta = static_cast<float>(rho / rho_before);
      detail::for_each_value<D>(system, [&](std::size_t i) {
        direction_[i] = preconditioned_[i] + beta * direction_[i];
      });
    }
    const double alpha = rho / system.apply(direction_, image_);
    const double squared = detail::total<D>(system, [&](std::size_t i) {
      x[i] += alpha * static_cast<double>(direction_[i]);
      b[i] -= alpha * image_[i];
      scaled_residual_[i] = static_cast<float>(scale * b[i]);
      return b[i] * b[i];
    });
    ++report.iterations;
    report.residual = scale * std::sqrt(squared);
    report.converged = report.residual <= tolerance;
    if (report.converged || !std::isfinite(report.residual)) break;
  }
  return report;
}

}  // namespace sluice::fluid::grid
