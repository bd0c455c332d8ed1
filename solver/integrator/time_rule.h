// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numbers>

namespace sluice::integrator {

/// How a step in time is composed. Each rule is implicit and of one step, ends at a minimiser of an
/// implicit step's energy (StepProblem), and comes to rest where the others do.
enum class TimeRule {
  /// One implicit step of length h. First order: a motion of angular frequency w loses a part
  /// h w / 2 of its amplitude each radian.
  implicit_euler,
  /// Two implicit steps of length g h, g = stage_share, the second from another state than the
  /// first has ended in: the L-stable rule of two stages and second order of [Alexander1977].
  ///
  /// With V_1 the velocity that the first step, from (x^n, v^n), ends with, the second starts at
  ///     X = x^n + (1 - g) h V_1,   V = v^n + (1 - g)/g (V_1 - v^n)
  /// and ends at (x^{n+1}, v^{n+1}). A motion loses a part 0.0037 (h w)^3 of its amplitude each
  /// radian and comes late by 0.040 (h w)^2; what h does not resolve is damped away, as by
  /// implicit Euler. Inertia, m / (g h)^2, is the same in both, so that a method with a constant
  /// matrix keeps it.
  ///
  /// Downside: twice the work a step. Where a stiff energy holds bodies to a path that h does not
  /// resolve (a mass on a stiff string, cloth that hardly stretches) it falls to first order: on a
  /// pendulum of 60 degrees 1/400 of a period leaves 2 %, where implicit Euler leaves 10 %. Energy
  /// may grow a little where it is far from convex. Damping by rate of strain stays of first order.
  /// It is for integrators that solve implicit steps.
  alexander,
};

/// g above: 1 - 1/sqrt(2), which makes it L-stable and of second order.
inline constexpr double stage_share = 1 - std::numbers::sqrt2 / 2;

}  // namespace sluice::integrator
