// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver/integrator/lane_vector.h"
#include "solver/integrator/spring_layout.h"
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
/// The forces of springs in runs (SpringLayout) are noted first, and each vertex collects its own;
/// those of loose springs are gathered and scattered. Vertices are taken by blocks in the order of
/// their numbers, so that the data of a block's springs stays in the cache. One thread.
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

  /// [N] Returns a bound of the rounding error in a gradient of springs that hold `energy` [J]: a
  /// few units in the last place of their forces, in quadrature, where F^2 = 2 k E, with k that of
  /// the springs of the greatest stiffness.
  [[nodiscard]] double rounding_of_forces(double energy) const;

  /// Starts the duals u_e of consensus ADMM (consensus_admm.h) by a local and dual step from 0 at
  /// `u`.
  void begin_duals(const LaneVector& u);

  /// ADMM's local and dual step at `u`; adds to `gradient` the term that takes the place of the
  /// springs' gradient in the global step: -sum_e k D_e^T (z_e - u_e - D_e x).
  void local_and_dual_step(const LaneVector& u, LaneVector& gradient);

  /// Takes the global step for the vertices from `first` up to `last`, whole lanes: all that
  /// springs add to their `gradient` is there. On return their `u` and `gradient` must be as the
  /// next iteration begins with them.
  using GlobalStep = std::function<void(std::size_t first, std::size_t last)>;
  /// Takes `count` iterations on the vertices up to `end`, whole lanes: local and dual step as
  /// above, then `global_step`. Several pass over the vertices together, each some blocks behind
  /// the one before, as far as springs reach: memory is then read once for all of them. The results
  /// are those of one iteration after the other, to the bit.
  void iterate(int count, std::size_t end, const LaneVector& u, LaneVector& gradient,
               const GlobalStep& global_step);

  /// Writes the duals, three numbers a spring, in the order in which the springs were given.
  void write_duals(std::span<double> duals) const;

  /// Adds the product of the Hessian kept with `p`.
  void add_product(const LaneVector& p, LaneVector& out) const;

  /// Adds the diagonal blocks of the Hessian kept, by vertex: xx, xy, xz, yy, yz, zz.
  void add_diagonal(std::array<Floats, 6>& blocks) const;

  /// A spring, and its part of the Hessian kept: H = across I + m m^T between its ends.
  struct Tie {
    std::int32_t a, b;
    Eigen::Vector3f m;
    float across;
  };
  /// Ties are numbered from 0 to this; some belong to no spring, and are 0.
  [[nodiscard]] std::size_t tie_count() const { return layout_.pairs.size(); }
  [[nodiscard]] Tie tie(std::size_t n) const {
    const auto& pair = layout_.pairs[n];
    const Tangent& t = tangents_[n / width];
    const std::size_t i = n % width;
    return {pair.a, pair.b, {t.x[i], t.y[i], t.z[i]}, t.across[i]};
  }

 private:
  static constexpr std::size_t width = lane_width;
  static constexpr std::size_t block_width = SpringLayout::block_width;
  using Numbers = SpringLayout::Numbers;
  using Block = SpringLayout::Block;

  struct Stretched;
  struct alignas(64) Reference {
    Numbers x, y, z, squared_excess;  ///< d0, |d0|^2 - l0^2
  };
  /// H = across I + m m^T.
  struct alignas(64) Tangent {
    Numbers x, y, z, across;
  };
  /// A vector at each place of a force.
  using Notes = std::array<Floats, 3>;

  template <typename Difference>
  void set_reference_of(std::size_t chunk, const Difference& difference);
  void step_block(const Block& block, const LaneVector& u, LaneVector& gradient);
  [[nodiscard]] auto stretched(const LaneVector& u) const;
  template <typename Begin, typename Forces>
  void note_runs(const Block& block, Notes& notes, const Begin& begin, const Forces& forces) const;
  template <typename Begin, typename Forces>
  void scatter_loose(const Block& block, float sign, Notes& notes, const std::array<float*, 3>& out,
                     const Begin& begin, const Forces& forces) const;
  template <typename Add>
  void collect(const Block& block, float sign, const Notes& notes, const Add& add) const;
  template <typename Begin, typename Forces>
  void accumulate(float sign, const std::array<float*, 3>& out, const Begin& begin,
                  const Forces& forces) const;

  SpringLayout layout_;
  int together_;                                  ///< Iterations that pass together.
  mutable Notes forces_;                          ///< Scratch.
  std::array<std::vector<double>, 3> positions_;  ///< Scratch: by axis and vertex.
  std::vector<Reference> references_;
  std::vector<Tangent> tangents_;
  /// ADMM's state: duals as 2 k u_e [N]; by vertex their sum D_e^T (2 k u_e) of the step before;
  /// and the part of the next sum that loose springs have added.
  Notes duals_;
  LaneVector dual_sums_, loose_sums_;
};

}  // namespace sluice::integrator
