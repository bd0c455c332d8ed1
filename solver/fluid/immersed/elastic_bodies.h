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

/// Solids that deform, as pressure sees them. Classes that derive from this say where their
/// surfaces are.
///
/// K of immersed.h has an entry for each cell and each vertex that may drive fluid into it: the
/// same numbers, transposed, are the impulses of pressure on the vertex, and that is what keeps
/// momentum and energy. R is the solids' response to impulses in a substep, their elasticity
/// included: pressure and elastic bodies are solved for at once [RobinsonMosher2008], and whatever
/// the bodies weigh, neither runs ahead of the other.
///
/// With p the pressure (pressure.h), m the mass of a cell full of fluid, and w the flow that a
/// velocity of 1 m/s of a vertex along an axis drives into a cell, in faces times m/s, that cell
/// gives that vertex the impulse -m p w.
template <int D>
class ElasticBodies : public Immersed<D> {
 public:
  /// Closes the faces that a thin part of these solids parts, after the parts of `grid` that solids
  /// fill, these and others, have been taken from what is open.
  virtual void close_parted(MacGrid<D>& grid) { static_cast<void>(grid); }
  /// Attaches the fluid that no open face has to the solids, with its momentum in `grid` before
  /// pressure. To be called once in a substep, before anything else acts.
  virtual void attach(const MacGrid<D>& grid) { static_cast<void>(grid); }
  /// Gives the solids the impulses of `part` of a pressure that acts in any case.
  void press(const Array<float>& pressure, float part, const Tiles<D>& tiles);
  /// Updates the solids' velocities by all impulses so far.
  void respond();

  void tie(const PoissonSystem<D>& system) override;
  [[nodiscard]] std::vector<std::span<const std::uint32_t>> tied_cells() const override;
  void add_inflow(std::span<double> inflow) const override;
  double apply(std::span<const float> x, std::span<double> image) const override;
  void accelerate(std::span<const double> pressure, MacGrid<D>& grid) override;

  /// [N s] The impulses by vertex, after respond(): on the solids alone.
  [[nodiscard]] std::span<const Vec3> impulses() const noexcept { return impulses_; }
  /// [m/s] The velocities by vertex, with all impulses so far.
  [[nodiscard]] std::span<const Vec3> velocities() const noexcept { return velocities_; }

 protected:
  /// An entry of K^T.
  struct Entry {
    std::uint32_t vertex;
    std::array<double, D> weight;  ///< w, by axis of the grid
  };
  struct InCell {
    std::uint32_t cell;  ///< Index in arrays, perhaps in the tile of zeros.
    Entry entry;
  };

  /// `mass_of_cell` [kg]: m.
  ElasticBodies(const CellFrame<D>& frame, double mass_of_cell)
      : frame_(frame), mass_of_cell_(mass_of_cell) {}

  /// Begins a substep, with impulses() 0. Copies all but the response, which must outlive it.
  void begin(const ImmersedSolids& solids);

  /// Returns all entries, in the same order each time; those of a cell and vertex add up.
  [[nodiscard]] virtual std::vector<InCell> entries(const Tiles<D>& tiles) const = 0;

  [[nodiscard]] const CellFrame<D>& frame() const noexcept { return frame_; }
  [[nodiscard]] double mass_of_cell() const noexcept { return mass_of_cell_; }
  [[nodiscard]] std::span<const Vec3> positions() const noexcept { return positions_; }  // [m]
  /// Attaches `masses` as ImpulseResponse::attach() does, which bring `momenta` [N s] to vertices.
  void attach_fluid(std::span<const Mat3> masses, std::span<const Vec3> momenta);
  void add_impulse(std::size_t vertex, const Vec3& impulse) { unanswered_[vertex] += impulse; }

  void save_positions(ByteWriter& out) const;
  [[nodiscard]] bool restore_positions(ByteReader& in);

 private:
  [[nodiscard]] double flow_of(const Entry& entry, std::span<const Vec3> velocities) const;

  CellFrame<D> frame_;
  double mass_of_cell_;
  std::vector<Vec3> positions_;   // [m] by vertex
  std::vector<Vec3> velocities_;  // [m/s] by vertex, with impulses so far
  std::vector<Vec3> impulses_;    // [N s] by vertex
  std::vector<Vec3> unanswered_;  // [N s] by vertex: those that respond() will add
  std::vector<Mat3> attached_;    // [kg] by vertex; empty for none
  ImpulseResponse* response_ = nullptr;
  std::vector<std::uint32_t> cells_;      // Unknowns that press on solids, and for each
  std::vector<std::size_t> first_entry_;  // where its entries begin, and one more.
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> tied_;             // The cells of cells_ that move something.
  mutable std::vector<Vec3> pressed_, answer_;  // By vertex, in apply().
};

extern template class ElasticBodies<2>;
extern template class ElasticBodies<3>;

}  // namespace sluice::fluid::grid
