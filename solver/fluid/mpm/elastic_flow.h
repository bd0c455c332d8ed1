// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "solver/fluid/mpm/material.h"
#include "solver/simd/lane_math.h"

/// How elastic particles deform, yield and press, `width` at a time. e below is F_e F_e^T - I, and
/// so its eigenvalues are squared elastic stretches less 1.
///
/// A substep takes e to (I + h C)(I + e)(I + h C)^T - I; then strain beyond what the material bears
/// flows off, in the frame of e's eigenvectors, found from squared stretches (for sand and
/// Bingham's from log strains). Stresses are Kirchhoff's.
///
///   bingham  2 mu dev(ln(stretch)); above the yield stress it relaxes at mu / viscosity,
///            backward Euler (a Maxwell element in series with the slider). Volume and pressure are
///            the liquid's. [Yue2015], in log strains
///   jelly    mu (b - I) + lambda ln J I
///   sand     2 mu ln(stretch) + lambda ln J, [Klar2016] section 6: none when pulled, else in the
///            cone (material.cpp: of which angle), with the volume that it was pulled apart by
///            remembered ([Tampubolon2017])
///   snow     fixed corotated, stiffer as it packs, [Stomakhin2013]
namespace sluice::fluid {

using namespace simd;

/// A limit of the method: snow packs to J_p = 0.6, where it is e^(0.4 hardening) times as stiff,
/// and no further, for steps would have no lower bound. Beyond 20 it is loose for good.
constexpr float least_snow_growth = -0.4F, greatest_snow_growth = 20;

/// Sand forgets that it was pulled apart further than this, ln of volume, as liquids do: else sand
/// that has flown would land without a pressure.
constexpr float greatest_sand_growth = 0.05F;

/// The state of `width` particles' Elastic, as lanes.
template <int width>
struct ElasticLanes {
  using F = FloatLanes<width>;
  Symmetric<width> e;  ///< F_e F_e^T - I
  F plastic;
  F wave_speed_squared;
  Symmetric<width> stress;
};

/// Numbers of each particle's material.
template <int width>
struct ElasticParameters {
  using F = FloatLanes<width>;
  F mu, lambda, density, yield, relaxation, least_growth, greatest_growth, hardening;
};

/// Returns e after a velocity gradient: `growth`[r][a] = h dv_r/dx_a.
template <int width>
[[nodiscard, gnu::always_inline]] inline Symmetric<width> carried(
    const Symmetric<width>& e, const FloatLanes<width> (&growth)[3][3]) noexcept {
  using F = FloatLanes<width>;
  F half[3][3];  // (I + G)(I + e) - I
  for (int r = 0; r < 3; ++r) {
    for (int a = 0; a < 3; ++a) {
      half[r][a] = growth[r][a] + e.of[symmetric_place[r][a]];
      for (int k = 0; k < 3; ++k)
        half[r][a] += growth[r][k] * e.of[symmetric_place[k][a]];
    }
  }
  Symmetric<width> result;
  for (int r = 0; r < 3; ++r) {
    for (int a = r; a < 3; ++a) {
      F sum = half[r][a] + growth[a][r];
      for (int k = 0; k < 3; ++k)
        sum += half[r][k] * growth[a][k];
      result.of[symmetric_place[r][a]] = sum;
    }
  }
  return result;
}

template <int width>
[[gnu::always_inline]] inline void flow_jelly(const ElasticParameters<width>& of,
                                              ElasticLanes<width>& state) noexcept {
  using F = FloatLanes<width>;
  const F(&e)[6] = state.e.of;
  const F trace = e[0] + e[1] + e[2];
  const F minors =
      e[0] * e[1] + e[0] * e[2] + e[1] * e[2] - e[3] * e[3] - e[4] * e[4] - e[5] * e[5];
  const F determinant = e[0] * (e[1] * e[2] - e[5] * e[5]) - e[3] * (e[3] * e[2] - e[5] * e[4]) +
                        e[4] * (e[3] * e[5] - e[1] * e[4]);
  // J^2 - 1. Where a substep has turned a particle inside out J is lost: it presses with all might.
  const F squared = trace + minors + determinant;
  const F above = squared > -0.9999F ? squared : F{} - 0.9999F;
  const F log_volume = 0.5F * log_of_one_plus<width>(above);
  for (int n = 0; n < 3; ++n)
    state.stress.of[n] = of.mu * e[n] + of.lambda * log_volume;
  for (int n = 3; n < 6; ++n)
    state.stress.of[n] = of.mu * e[n];
  // Longitudinal waves along a stretch s: density c^2 = lambda + (mu - lambda ln J) + mu s^2.
  F most{};
  for (int n = 0; n < 6; ++n)
    most += e[n] < 0 ? -e[n] : e[n];  // Above the largest eigenvalue: Gershgorin's circles.
  const F modulus = of.lambda + of.mu - of.lambda * log_volume + of.mu * (1.0F + most);
  state.wave_speed_squared = modulus / of.density;
}

/// Log strains, in the frame of eigenvectors.
template <int width>
struct LogStrains {
  FloatLanes<width> of[3];

  [[gnu::always_inline]] explicit LogStrains(const FloatLanes<width> (&squared)[3]) noexcept {
    for (int n = 0; n < 3; ++n) {
      // A substep that turns a particle inside out must not reach the logarithm.
      const FloatLanes<width> above =
          squared[n] > -0.9999F ? squared[n] : FloatLanes<width>{} - 0.9999F;
      of[n] = 0.5F * log_of_one_plus<width>(above);
    }
  }
  [[gnu::always_inline]] FloatLanes<width> trace() const noexcept { return of[0] + of[1] + of[2]; }
};

/// The principal values that a model leaves behind.
template <int width>
struct Principal {
  FloatLanes<width> squared[3];  ///< Squared stretches less 1.
  FloatLanes<width> stress[3];
};

/// Keeps `share` of the deviatoric part of `strains`, and the trace `trace`.
template <int width>
[[gnu::always_inline]] inline Principal<width> hencky(const ElasticParameters<width>& of,
                                                      const LogStrains<width>& strains,
                                                      FloatLanes<width> share,
                                                      FloatLanes<width> trace) noexcept {
  Principal<width> result;
  const FloatLanes<width> mean = strains.trace() / 3.0F;
  for (int n = 0; n < 3; ++n) {
    const FloatLanes<width> strain = share * (strains.of[n] - mean) + trace / 3.0F;
    result.squared[n] = exp_minus_one<width>(2.0F * strain);
    result.stress[n] = 2.0F * of.mu * strain + of.lambda * trace;
  }
  return result;
}

/// Frobenius norm of the deviatoric part.
template <int width>
[[nodiscard, gnu::always_inline]] inline FloatLanes<width> deviation(
    const LogStrains<width>& strains) noexcept {
  const FloatLanes<width> mean = strains.trace() / 3.0F;
  FloatLanes<width> squares{};
  for (int n = 0; n < 3; ++n)
    squares += (strains.of[n] - mean) * (strains.of[n] - mean);
  return square_root(squares);
}

template <int width>
[[gnu::always_inline]] inline Principal<width> flow_bingham(
    const ElasticParameters<width>& of, float h, const FloatLanes<width> (&squared)[3]) noexcept {
  using F = FloatLanes<width>;
  const LogStrains<width> strains(squared);
  const F norm = 2.0F * of.mu * deviation<width>(strains);
  const F flowed = of.yield + (norm - of.yield) / (1.0F + h * of.relaxation);
  return hencky<width>(of, strains, norm > of.yield ? flowed / norm : F{} + 1.0F, F{});
}

template <int width>
[[gnu::always_inline]] inline Principal<width> flow_sand(const ElasticParameters<width>& of,
                                                         const FloatLanes<width> (&squared)[3],
                                                         FloatLanes<width>& plastic) noexcept {
  using F = FloatLanes<width>;
  const LogStrains<width> strains(squared);
  const F norm = deviation<width>(strains);
  const F trace = strains.trace() + plastic;
  const F most = of.yield * -trace;  // The norm that its pressure lets it bear.
  const F slid = norm > most ? most / norm : F{} + 1.0F;
  const F grown = trace < greatest_sand_growth ? trace : F{} + greatest_sand_growth;
  plastic = trace < 0 ? F{} : grown;
  return hencky<width>(of, strains, trace < 0 ? slid : F{}, trace < 0 ? trace : F{});
}

template <int width>
[[gnu::always_inline]] inline Principal<width> flow_snow(const ElasticParameters<width>& of,
                                                         const FloatLanes<width> (&squared)[3],
                                                         FloatLanes<width>& plastic,
                                                         FloatLanes<width>& modulus) noexcept {
  using F = FloatLanes<width>;
  // All are growths, stretches or volumes less 1: small ones keep their digits.
  const auto together = [](F a, F b) { return a + b + a * b; };
  F growth[3], packed = plastic, volume{};
  for (int n = 0; n < 3; ++n) {
    const F above = squared[n] > -0.9999F ? squared[n] : F{} - 0.9999F;
    const F trial = above / (square_root(1.0F + above) + 1.0F);
    const F at_least = trial > of.least_growth ? trial : of.least_growth;
    growth[n] = at_least < of.greatest_growth ? at_least : of.greatest_growth;
    packed = together(packed, (trial - growth[n]) / (1.0F + growth[n]));
    volume = together(volume, growth[n]);
  }
  const F at_least = packed > least_snow_growth ? packed : F{} + least_snow_growth;
  plastic = at_least < greatest_snow_growth ? at_least : F{} + greatest_snow_growth;
  const F power = -of.hardening * plastic;
  const F hardened = 1.0F + exp_minus_one<width>(power > -60.0F ? power : F{} - 60.0F);
  Principal<width> result;
  for (int n = 0; n < 3; ++n) {
    result.squared[n] = growth[n] * (growth[n] + 2.0F);
    result.stress[n] = hardened * (2.0F * of.mu * growth[n] * (1.0F + growth[n]) +
                                   of.lambda * volume * (1.0F + volume));
  }
  const F longest = 1.0F + of.greatest_growth;
  modulus = hardened * (of.lambda + 2.0F * of.mu) * longest * longest;
  return result;
}

/// Copies `from` to `to` in the lanes where `mask` is -1; in others it is 0.
template <int width>
[[gnu::always_inline]] inline void choose(IntLanes<width> mask, const Principal<width>& from,
                                          Principal<width>& to) noexcept {
  for (int n = 0; n < 3; ++n) {
    to.squared[n] = mask ? from.squared[n] : to.squared[n];
    to.stress[n] = mask ? from.stress[n] : to.stress[n];
  }
}

/// Takes a substep of h seconds; `model` is a number by lane. Newtonian lanes lose all stress.
template <int width>
[[gnu::always_inline]] inline void flow_elastic(const ElasticParameters<width>& of, float h,
                                                const FloatLanes<width> (&growth)[3][3],
                                                IntLanes<width> model,
                                                ElasticLanes<width>& state) noexcept {
  using F = FloatLanes<width>;
  using I = IntLanes<width>;
  const auto lanes_of = [&](Model which) -> I { return model == static_cast<std::int32_t>(which); };
  const auto is_any = [](I mask) {
    std::int32_t all = 0;
    for (int n = 0; n < width; ++n)
      all |= mask[n];
    return all != 0;
  };
  const I is_newtonian = lanes_of(Model::newtonian), is_jelly = lanes_of(Model::jelly);
  const I is_bingham = lanes_of(Model::bingham), is_sand = lanes_of(Model::sand),
          is_snow = lanes_of(Model::snow);
  state.e = carried<width>(state.e, growth);
  ElasticLanes<width> jelly = state;
  if (is_any(is_jelly)) flow_jelly<width>(of, jelly);
  if (is_any(is_bingham | is_sand | is_snow)) {
    const Eigen3<width> eigen = eigen_of<width>(state.e);
    Principal<width> principal{};
    F modulus = of.lambda + 2.0F * of.mu;
    if (is_any(is_bingham)) {
      choose<width>(is_bingham, flow_bingham<width>(of, h, eigen.values), principal);
    }
    if (is_any(is_sand)) {
      F plastic = state.plastic;
      choose<width>(is_sand, flow_sand<width>(of, eigen.values, plastic), principal);
      state.plastic = is_sand ? plastic : state.plastic;
    }
    if (is_any(is_snow)) {
      F plastic = state.plastic, of_snow;
      choose<width>(is_snow, flow_snow<width>(of, eigen.values, plastic, of_snow), principal);
      state.plastic = is_snow ? plastic : state.plastic;
      modulus = is_snow ? of_snow : modulus;
    }
    state.e = compose<width>(eigen, principal.squared);
    state.stress = compose<width>(eigen, principal.stress);
    state.wave_speed_squared = is_bingham ? F{} : modulus / of.density;
  }
  for (int n = 0; n < 6; ++n) {
    state.e.of[n] = is_jelly ? jelly.e.of[n] : is_newtonian ? F{} : state.e.of[n];
    state.stress.of[n] = is_jelly ? jelly.stress.of[n] : is_newtonian ? F{} : state.stress.of[n];
  }
  state.wave_speed_squared = is_jelly       ? jelly.wave_speed_squared
                             : is_newtonian ? F{}
                                            : state.wave_speed_squared;
}

}  // namespace sluice::fluid
