// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/integrator/lanes.h"
#include "solver/solid/spring_potential.h"
#include "solver/types.h"

namespace sluice::integrator {

/// A spring network in single precision, eight springs at a time, as a function of displacements u
/// from reference positions.
///
/// The stretch is computed without cancellation: with d = d0 + du, |d|^2 - l0^2 = (|d0|^2 - l0^2) +
/// (2 d0 + du) . du, whose first term comes from double precision; so forces are good to float's
/// rounding of themselves, not of positions, however small u is.
///
/// Springs whose ends are neighbours in number in the same way (a + i, b + i), as most are on
/// grids, are read and written as lanes; others are gathered. One thread.
class SpringLanes {
 public:
  explicit SpringLanes(std::span<const solid::SpringPotential* const> springs);

  /// Takes `positions` as the reference.
  void set_reference(std::span<const Vec3> positions);

  /// Adds the gradient of the springs' energy at `u` to `gradient`, keeps its projected Hessian for
  /// the calls below, and returns the energy [J].
  double linearize(const LaneVector& u, LaneVector& gradient);

  /// Adds the gradient, and returns the energy [J].
  double add_gradient(const LaneVector& u, LaneVector& gradient) const;

  /// [N] What rounding may leave of a gradient of springs that hold `energy` [J]: a few units in
  /// the last place of their forces, in quadrature, where F^2 = 2 k E. An upper bound, as springs
  /// of the greatest stiffness have it.
  [[nodiscard]] double rounding_of_forces(double energy) const;

  /// Starts the duals u_e of consensus ADMM (consensus_admm.h) by a local and dual step from 0 at
  /// `u`.
  void begin_duals(const LaneVector& u);

  /// ADMM's local and dual step at `u`; adds to `gradient` what then stands in place of the
  /// springs' gradient in the global step: -sum_e k D_e^T (z_e - u_e - D_e x).
  void local_and_dual_step(const LaneVector& u, LaneVector& gradient);

  /// Writes the duals, three numbers a spring, in the order in which the springs were given.
  void write_duals(std::span<double> duals) const;

  /// Adds the product of the Hessian kept with `p`.
  void add_product(const LaneVector& p, LaneVector& out) const;

  /// Adds the diagonal blocks of the Hessian kept, by vertex: xx, xy, xz, yy, yz, zz.
  void add_diagonal(std::array<std::vector<float>, 6>& blocks) const;

  /// A spring, and its part of the Hessian kept: H = across I + m m^T between its ends.
  struct Tie {
    std::int32_t a, b;
    Eigen::Vector3f m;
    float across;
  };
  /// Ties are numbered from 0 to this; some belong to no spring, and are 0.
  [[nodiscard]] std::size_t tie_count() const { return pairs_.size(); }
  [[nodiscard]] Tie tie(std::size_t n) const {
    const Tangent& t = tangents_[n / width];
    const std::size_t i = n % width;
    return {pairs_[n].a, pairs_[n].b, {t.x[i], t.y[i], t.z[i]}, t.across[i]};
  }

 private:
  static constexpr std::size_t width = lane_width;
  using Numbers = std::array<float, width>;

  /// The ends of eight springs; of fewer, the rest has no stiffness.
  struct Ends {
    std::array<std::int32_t, width> a, b;
  };
  /// Chunks of eight springs each, one after the other, whose ends count up by one throughout.
  struct Run {
    std::int32_t a, b;  ///< Ends of the first spring.
    std::size_t first_chunk, last_chunk;
  };
  /// A spring as it was given, in the order of the chunks and with their gaps.
  struct Pair {
    std::int32_t a, b;
    bool is_reversed;  ///< Whether b was given first.
    std::size_t element;
    double rest_length;
  };
  struct Stretched;
  struct Constants {
    Numbers stiffness, rest_length;
  };
  struct Reference {
    Numbers x, y, z, squared_excess;  ///< d0, |d0|^2 - l0^2
  };
  /// H = across I + m m^T.
  struct Tangent {
    Numbers x, y, z, across;
  };

  /// u_e of ADMM.
  struct Dual {
    Numbers x, y, z;
  };

  template <std::size_t count, typename Forces>
  void accumulate(float sign, const std::array<float*, count>& out, const Forces& forces) const;

  std::vector<Run> runs_;
  std::vector<Ends> ends_;  ///< Of the chunks after all runs.
  std::size_t first_loose_chunk_ = 0;
  mutable std::vector<float> forces_;  ///< Scratch: of the longest run, and zeros around them.
  std::vector<Constants> constants_;
  std::vector<Pair> pairs_;
  std::vector<Reference> references_;
  std::vector<Tangent> tangents_;
  std::vector<Dual> duals_;
  double greatest_stiffness_ = 0;  ///< [N/m]
};

}  // namespace sluice::integrator
