// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>

#include "solver/simd/four_doubles.h"
#include "solver/solid/isotropic/matrix_packet.h"
#include "solver/solid/isotropic/stretch_packet.h"
#include "solver/solid/isotropic/stretches.h"

namespace sluice::solid {

using namespace simd;

/// argmin Psi(Z) + w/2 |Z - P|^2 of four matrices by Newton in their stretches, in stages: `start`,
/// `advance` until it `is_done`, `finish`. Whoever takes each stage for several packets before the
/// next one lets the processor work on all of them at once; one packet alone waits for its
/// divisions.
///
/// The iterates are those of `proximal_stretches`, as long as its Hessian is positive definite and
/// its step is taken in full. A lane in which that fails is given up, so that no other minimum is
/// found here. Stretches z of Z and p of P fulfil dPsi/dz_i + w (z_i - p_i) = 0; from this follow,
/// by `flip` and `flip_slope`, the divided differences of z as a function of p:
///   z[p_i, p_j] = w / (w + flip_ij),    z[p_0, p_1, p_2] = -flip_slope / w z[01] z[12] z[02].
template <typename Energy>
class StretchProximal {
 public:
  /// The state of one packet between the stages.
  struct State {
    Stretches<Double4, 3> p, z;
    Double4 step;      ///< Square of the last step over the size of z.
    Double4 residual;  ///< [Pa^2] Square of the residual before it.
    Long4 is_solved;   ///< After `finish`: lanes with an answer. The others are for `proximal`.
  };

  StretchProximal(const Energy& energy, double w) : energy_(energy), w_(w) {}

  [[nodiscard]] State start(const Matrix4& P) const noexcept {
    constexpr double least_start = 0.2;  // The same as in proximal_stretches.
    State state{};
    const Stretches4 stretches = stretches4(P);
    state.p = state.z = stretches.s;
    state.is_solved = stretches.is_good;
    if constexpr (Energy::needs_orientation) {
      for (Double4& z : state.z)
        z = max4(z, splat4(least_start));
    }
    state.step = splat4(1);
    state.residual = splat4(std::numeric_limits<double>::infinity());
    return state;
  }

  [[nodiscard]] bool is_done(const State& state) const noexcept { return !is_any(moving(state)); }

  /// One step of Newton, by the adjugate of the Hessian.
  void advance(State& state) const noexcept {
    auto& z = state.z;
    Stretches<Double4, 3> g = energy_.gradient(z);
    StretchMatrix<Double4, 3> H = energy_.hessian(z);
    for (std::size_t i = 0; i < 3; ++i) {
      g[i] += w_ * (z[i] - state.p[i]);
      H[i][i] += w_;
    }
    const Double4 c00 = H[1][1] * H[2][2] - H[1][2] * H[1][2];
    const Double4 c01 = H[0][2] * H[1][2] - H[0][1] * H[2][2];
    const Double4 c02 = H[0][1] * H[1][2] - H[0][2] * H[1][1];
    const Double4 c11 = H[0][0] * H[2][2] - H[0][2] * H[0][2];
    const Double4 c12 = H[0][1] * H[0][2] - H[0][0] * H[1][2];
    const Double4 c22 = H[0][0] * H[1][1] - H[0][1] * H[0][1];
    const Double4 determinant = H[0][0] * c00 + H[0][1] * c01 + H[0][2] * c02;
    const Double4 residual = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    state.is_solved &= (H[0][0] > 0) & (c22 > 0) & (determinant > 0);
    state.is_solved &= (residual <= state.residual) | ~moving(state);
    state.residual = residual;
    const Double4 reciprocal = -1 / determinant;
    const Stretches<Double4, 3> step{(c00 * g[0] + c01 * g[1] + c02 * g[2]) * reciprocal,
                                     (c01 * g[0] + c11 * g[1] + c12 * g[2]) * reciprocal,
                                     (c02 * g[0] + c12 * g[1] + c22 * g[2]) * reciprocal};
    for (std::size_t i = 0; i < 3; ++i) {
      z[i] += step[i];
      if constexpr (Energy::needs_orientation) state.is_solved &= z[i] >= 0;
    }
    state.step = (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]) /
                 (z[0] * z[0] + z[1] * z[1] + z[2] * z[2]);
  }

  [[nodiscard]] Matrix4 finish(const Matrix4& P, State& state) const noexcept {
    const auto& [p, z, step, residual, is_solved] = state;
    const Double4 f01 = energy_.flip(z, 0, 1) + w_, f12 = energy_.flip(z, 1, 2) + w_,
                  f02 = energy_.flip(z, 0, 2) + w_;
    state.is_solved &= (f01 > 0) & (f12 > 0) & (f02 > 0) & ~moving(state);
    const Double4 share = w_ / (f01 * f12 * f02);
    const DividedDifferences h{z[0], share * f12 * f02, -w_ * share * energy_.flip_slope(z)};
    return stretch_function(P, p, h);
  }

 private:
  /// Bound of `step`: a step leaves an error of its square, or a thousand times that where the
  /// minimum is flat.
  static constexpr double tolerance = 1e-13;

  [[nodiscard]] static Long4 moving(const State& state) noexcept {
    return state.is_solved & (state.step > tolerance);
  }

  Energy energy_;
  double w_;
};

}  // namespace sluice::solid
