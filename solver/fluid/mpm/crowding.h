// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is done about crowds of a liquid's particles that are too small for the density feedback
/// (material.h).
///
/// Particle shifting [Lind2012]: particles go from where they are crowded to where they are sparse,
/// by Fick's law, and their velocities stay as they are. Where the feedback has to even out alone
/// what a flow crowds, its pressure turns a slow vortex for ever.
///
/// A crowd weighs as much as even liquid in its place: else it would sink, and stir what rests.
namespace sluice::fluid {

/// J - 1 as the grid sees it is between these in a crowd, and the density changes by less than this
/// part of itself across a cell. What is beyond is a surface, of the liquid or of a solid.
constexpr float densest_crowd = -0.05F, sparsest_crowd = 0.1F, steepest_crowd = 0.05F;

/// A crowd's weight is changed by at most this part.
constexpr float most_weight_off = 0.02F;

/// Returns the factor that makes a slope a particle's shift [m]. The slope, whose square this
/// takes, is the relative change of the density across a cell along each axis; `rate` [1/s] is the
/// material's, `h` [s] the substep, `dx` [m] the edge of a cell.
template <typename F>
[[gnu::always_inline]] inline F shift_by_slope(F slope_squared, F rate, float h,
                                               float dx) noexcept {
  const F gentle = 1.0F - slope_squared / (steepest_crowd * steepest_crowd);
  return gentle > 0 ? -gentle * rate * h * dx : F{};
}

/// Returns the part of gravity that a particle in a crowd lacks: the grid sees a J - 1 of `seen`,
/// and the particle has `strain`. `cells_deep` is its pressure over that of a layer of one cell;
/// what falls freely has none, and falls as it is.
template <typename F>
[[gnu::always_inline]] inline F missing_weight(F seen, F strain, F cells_deep) noexcept {
  const F off = seen - strain;
  const F at_least = off > -most_weight_off ? off : F{} - most_weight_off;
  const F missing = at_least < most_weight_off ? at_least : F{} + most_weight_off;
  const F carried = cells_deep < 1 ? cells_deep : F{} + 1.0F;
  return carried > 0 ? missing * carried : F{};
}

}  // namespace sluice::fluid
