// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/bytes.h"
#include "solver/fluid/immersed_solids.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/pressure/immersed.h"

namespace sluice::fluid::grid {

/// Solids in a fluid that fills all of the domain, also where they are: the immersed boundary
/// method [Peskin2002]. At points of the solids the fluid's velocity, interpolated (J), is theirs
/// (N V, V of their vertices); forces f do that, on the fluid by the same weights (J^T f), and the
/// opposite on the solids (-N^T f). They are multipliers, solved for with the pressure [Taira2007]
/// and with the solids' answer C^-1, their elasticity included [Goza2017]: no step is too long for
/// stiffness.
///
/// With M the mass of faces, u* and V* the velocities without what is solved for,
///
///     u = u* - grad p + M^-1 J^T f,   V = V* - C^-1 N^T f,   J u + b f = N V,   div u = 0.
///
/// b: points that are closer together than the grid's cells could not all be held exactly, as J
/// M^-1 J^T is singular then. b f = (rows' sums of J M^-1 J^T) f - J M^-1 J^T f vanishes where f is
/// even and lets slip by what f changes by between neighbours, which no grid could tell; and f = a
/// (N V - J (u* - grad p)), a the inverse of those sums: the mass of fluid that goes with the
/// point. So C gets that mass, and f is gone from the system; what is left is one for the pressure.
/// f is the change against the substep before, so that nothing slips where the flow is steady.
///
/// A body displaces fluid, whose inertia is there already and comes off the body's, evenly from all
/// that goes with its points: at most all of that, so that C, with both, stays positive definite,
/// and bodies may be as light as they like. The weight of what is displaced lifts them.
///
/// Deviation: [Peskin2002] lets points move with the fluid, and their forces follow a step late.
/// Here solids have velocities of their own, held to the fluid's, and are stepped by their solver.
///
/// Next to walls and in obstacles there are no weights on closed faces; the others' are as much
/// larger. They sum up to 1 there too, but their first moment is off by what is missing.
template <int D>
class ImmersedPoints final : public Immersed<D> {
 public:
  /// `density` [kg/m^3] of the fluid; `mass_of_cell` [kg] of one full of it.
  ImmersedPoints(const CellFrame<D>& frame, double density, double mass_of_cell)
      : frame_(frame), density_(density), mass_of_cell_(mass_of_cell) {}

  /// Sets a substep's solids, clears impulses(). Copies all but the response, which must live on.
  void set(const ImmersedSolids& solids);
  [[nodiscard]] bool is_empty() const noexcept override { return points_.empty(); }

  /// Finds the weights where points are now, for `grid`'s open and distance.
  void find(const MacGrid<D>& grid);

  /// Gives the fluid `part` of the last substep's forces, where points were at the last find().
  void push(double part, typename MacGrid<D>::template Faces<float>& velocity) const;
  /// Adds the impulses of the hydrostatic pressure that `change` [m/s] of free fall would cause.
  void lift(const Vec3& change);
  /// After push() of all last forces: gives the solids `of_last` of them, and both solids and fluid
  /// the part of the new forces that does not depend on the pressure to come. Once a substep,
  /// before the pressure.
  void meet(double of_last, MacGrid<D>& grid);

  void tie(const PoissonSystem<D>& system) override;
  [[nodiscard]] std::vector<std::span<const std::uint32_t>> tied_cells() const override {
    return {};
  }
  double apply(std::span<const float> x, std::span<double> image) const override;
  void accelerate(std::span<const double> pressure, MacGrid<D>& grid) override;

  /// [N s] The impulses by vertex, after the pressure: on the solids alone, with all of their mass.
  [[nodiscard]] std::span<const Vec3> impulses() const noexcept { return impulses_; }
  /// [m/s] The velocities by vertex, with these impulses.
  [[nodiscard]] std::span<const Vec3> velocities() const noexcept { return velocities_; }

  /// By axis of the grid: the sum of the masses [kg] of fluid in the solids' place times `velocity`
  /// [m/s] to the power of `exponent`.
  [[nodiscard]] std::array<double, D> displaced(
      const typename MacGrid<D>::template Faces<float>& velocity, int exponent) const;

  /// Saves the positions and the last forces.
  void save(ByteWriter& out) const;
  /// Restores them for the same solids; false if the bytes do not fit. To be followed by find().
  [[nodiscard]] bool restore(ByteReader& in);

 private:
  static constexpr std::size_t entry_count = D == 3 ? 27 : 9;  // Faces around a point, per axis.
  using PerAxis = std::array<double, D>;

  // A face that points see.
  struct Face {
    std::size_t index;           // Index in arrays.
    std::size_t before, after;   // The cells on its sides, likewise.
    double open, inverse_mass;   // The open part; [1/kg]
    double gradient;             // Gradient of p: this times the difference.
    bool has_before, has_after;  // Whether those are unknowns.
  };
  // The entries of J for an axis, by points and by faces.
  struct Weights {
    std::vector<Face> faces;
    std::vector<std::uint32_t> face_of;  // By point, entry_count each: into faces, or no_face.
    std::vector<float> weight;           // Likewise.
    std::vector<std::size_t> first_of;   // By face, and one more: into by_face.
    std::vector<std::uint32_t> by_face;  // Into face_of, by face, then point.
  };
  void find_entries(const MacGrid<D>& grid, int axis, Weights& weights) const;
  static void transpose(Weights& weights);
  void find_masses();
  template <typename Value>
  void interpolate(const Value& value, std::vector<PerAxis>& at_points) const;
  template <typename Give>
  void spread(std::span<const PerAxis> forces, const Give& give) const;
  [[nodiscard]] PerAxis of_vertices(std::size_t point, std::span<const Vec3> velocities) const;
  void give_vertices(std::span<const PerAxis> forces, double times, std::span<Vec3> impulses) const;
  void solve_points(std::vector<PerAxis>& pulled) const;

  CellFrame<D> frame_;
  double density_, mass_of_cell_;
  std::vector<SolidPoint> points_;
  std::vector<Vec3> positions_;                      // [m] by vertex
  std::vector<Vec3> start_velocities_, velocities_;  // [m/s] by vertex; with impulses so far
  std::vector<Vec3> impulses_;                       // [N s] by vertex
  ImpulseResponse* response_ = nullptr;
  std::array<Weights, D> weights_;
  std::vector<PerAxis> moving_;     // [kg] by point: a.
  std::vector<PerAxis> displaced_;  // [kg] by point
  std::vector<PerAxis> forces_;     // [N s] by point, of the substep: f.
  mutable std::vector<PerAxis> pulled_;
  mutable std::vector<Vec3> given_, answer_;  // By vertex.
};

extern template class ImmersedPoints<2>;
extern template class ImmersedPoints<3>;

}  // namespace sluice::fluid::grid
