// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/contact/contact_pair.h"
#include "solver/contact/friction.h"
#include "solver/contact/pair_energy.h"
#include "solver/solid/element_potential.h"
#include "solver/types.h"

/// Contact as an energy that any integrator can minimise: pairs are elements of four vertices, and
/// D_e x are the differences of the last three from the first, as all that contact knows is the
/// same after a translation.
///
/// The pairs stay as they are; those that are out of range cost a distance each. To change them,
/// make new potentials, and integrators for them. A vertex may be a particle.
namespace sluice::coupling {

/// The energy of all pairs by a law of their gaps: contact::Barrier or contact::Penalty. The weight
/// is the law's stiffness.
///
/// Distances have no sign: nothing here keeps a step from jumping over a triangle. That is left to
/// StepProblem::step_limit, by contact::largest_step.
///
/// `local_step` finds the minimum that is reached from p without touching on the way; where p is
/// itself within the thickness, from the nearest place outside.
template <typename Law>
class GapPotential final : public solid::ElementPotential {
 public:
  GapPotential(const Law& law, std::vector<contact::ContactPair> pairs);

  [[nodiscard]] std::span<const contact::ContactPair> pairs() const { return pairs_; }

  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                solid::HessianForm form, std::span<double> out) const override;
  void local_step(std::size_t first, std::size_t last, std::span<const double> p, double scale,
                  std::span<double> z) const override;

 private:
  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override;
  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override;

  Law law_;
  std::vector<contact::ContactPair> pairs_;
};

using BarrierPotential = GapPotential<contact::Barrier>;
using PenaltyPotential = GapPotential<contact::Penalty>;

/// The friction of all pairs that touched when they were lagged (contact/friction.h).
/// The weight is the largest curvature, 2 mu lambda / eps.
class FrictionPotential final : public solid::ElementPotential {
 public:
  /// `x_n` is where the step starts, `eps` [m] the way below which pairs stick.
  FrictionPotential(std::vector<contact::FrictionPair> pairs, std::span<const Vec3> x_n,
                    double eps);

  void hessians(std::size_t first, std::size_t last, std::span<const Vec3> x,
                solid::HessianForm form, std::span<double> out) const override;
  void local_step(std::size_t first, std::size_t last, std::span<const double> p, double scale,
                  std::span<double> z) const override;

 private:
  [[nodiscard]] Vec3 way(std::size_t e, std::span<const Vec3> x) const;
  double energy_of(std::size_t first, std::size_t last, std::span<const Vec3> x) const override;
  void write_gradients(std::size_t first, std::size_t last, std::span<const Vec3> x,
                       std::span<Vec3> slots) const override;

  std::vector<contact::FrictionPair> pairs_;
  std::vector<Vec3> starts_;  ///< [m] sum_i c_i x_i^n
  double eps_;
};

}  // namespace sluice::coupling
