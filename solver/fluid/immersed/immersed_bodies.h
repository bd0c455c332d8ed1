// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/immersed/cube_filling.h"
#include "solver/fluid/immersed/layer_momentum.h"
#include "solver/fluid/immersed/thin_parts.h"
#include "solver/fluid/immersed_body.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/screens.h"
#include "solver/fluid/pressure/immersed.h"
#include "solver/fluid/pressure/poisson.h"
#include "solver/wrench.h"

namespace sluice::fluid::grid {

/// Rigid bodies in the liquid, as pressure sees them [Batty2007].
///
/// A body covers the part c of a face that it fills of the cube of volume around it. So the covered
/// parts add up to the body's volume, and their arms to its centre, wherever it is between the
/// cells: if a body is as dense as liquid, it is as heavy as the liquid that it displaces, and
/// liquid at rest does not turn it. With V the velocity and turn rate of a body, c J V the integral
/// of its velocity along a face's axis over that part, and m the mass of a cell full of liquid,
/// pressure gives the body the impulse m K p,
///
///     K p = sum over cells p sum over faces, outwards: c J^T,     V' = V + m M^-1 K p,
///
/// and the flow of V' through faces makes K^T m M^-1 K a part of the pressure's system.
///
/// A thin part of a body closes the faces that it parts (thin_parts.h), as if it covered all of
/// them. Fluid that was open there goes along with the body: without its weight, still water would
/// lift a plate by a layer of cells. With A the mass of that fluid and b its momentum, M V becomes
/// M V + b, and M becomes M + A.
template <int D>
class ImmersedBodies final : public Immersed<D> {
 public:
  /// `mass_of_cell` [kg]: m.
  ImmersedBodies(const CellFrame<D>& frame, const Slab& slab, double mass_of_cell)
      : frame_(frame), slab_(slab), mass_of_cell_(mass_of_cell) {}

  /// Sets a substep's bodies: `bodies` is copied, the arrays that it refers to must outlive it.
  void set(std::span<const ImmersedBody> bodies);
  [[nodiscard]] bool is_empty() const noexcept override { return bodies_.empty(); }
  /// Finds the thin parts of bodies, before cover(), and returns the surfaces of those that are so
  /// thin that they are screens.
  [[nodiscard]] std::vector<Facet> find_thin(const Tiles<D>& tiles);

  /// After SolidFaces::find(): takes the parts that bodies cover from `grid`'s open, room and
  /// is_clear, and adds to its solid_flow and parted. Where `screens`, made from find_thin(), say
  /// what room there is, the room is left to them.
  void cover(MacGrid<D>& grid, const Screens<D>* screens = nullptr);
  /// After find_surface() and gravity, once in a substep: fluid at thin parts goes along with them.
  void attach(MacGrid<D>& grid);

  /// To be called after cover().
  void tie(const PoissonSystem<D>& system) override;
  [[nodiscard]] std::vector<std::span<const std::uint32_t>> tied_cells() const override;
  /// The ties of the bodies that pressure moves.
  [[nodiscard]] std::vector<RigidTie> rigid_ties() const override;
  double apply(std::span<const float> x, std::span<double> image) const override;
  /// Adds the change to `grid`'s solid_flow, too.
  void accelerate(std::span<const double> pressure, MacGrid<D>& grid) override;

  /// After pressure: limits velocities in slits that bodies leave of faces to the largest one on
  /// wider faces, plus the bodies' own. Liquid that is pressed through a slit is fast, and next to
  /// nothing; but particles there weigh as much as anywhere, and would be driven faster from
  /// substep to substep.
  void limit_slits(MacGrid<D>& grid) const;

  /// Gives closed faces that bodies cover, whose velocities are extrapolated from the liquid, the
  /// bodies' velocities across their surfaces.
  void constrain(MacGrid<D>& grid) const;

  /// After find_surface(), before gravity: finds the liquid around the bodies.
  void find_layers(const MacGrid<D>& grid);
  /// Around the next transfer to particles: LayerMomentum::add() and remove().
  void add_layer_motions(const typename MacGrid<D>::template Faces<float>& weights,
                         MacGrid<D>& grid);
  void remove_layer_motions(MacGrid<D>& grid) const { layers_.remove(grid); }

  /// The impulses of pressure in the substep, by body.
  [[nodiscard]] std::span<const Wrench> impulses() const noexcept { return impulses_; }

 private:
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = Eigen::Matrix<double, 6, 6>;

  // A body in its block of cells, which has a layer around it.
  struct Body {
    ImmersedBody rigid;
    Cell<D> first, count;
    std::array<std::vector<Filled>, D> covered;  // By axis, and cell of the block.
    std::vector<std::uint32_t> cells;            // Unknowns that press on it,
    std::vector<Motion> rows;                    // and for each its row of K^T.
    std::vector<ThinPart<D>> thin;               // Faces that it parts,
    std::vector<double> opened;                  // and the part of each that was open.
    // If fluid goes along: A / m, and m (M + A)^-1.
    Mat6 attached, answer;
    bool has_attached = false;
  };

  void find_block(const Tiles<D>& tiles, Body& body) const;
  void add_screens(const Body& body, std::vector<Facet>& facets) const;
  void part(Body& body, MacGrid<D>& grid) const;
  void add_flow(const Body& body, const Motion& change, MacGrid<D>& grid) const;
  [[nodiscard]] Vec3 middle_of(const Body& body, const Cell<D>& face, int axis) const;
  [[nodiscard]] Motion carried(const Body& body, const Cell<D>& face, int axis,
                               const Filled& covered) const;
  [[nodiscard]] Motion row_of(const Body& body, const Cell<D>& local) const;
  [[nodiscard]] Motion press(const Body& body, const auto& pressure) const;
  [[nodiscard]] Motion response(const Body& body, const Motion& impulse) const;

  CellFrame<D> frame_;
  Slab slab_;
  double mass_of_cell_;
  std::vector<Body> bodies_;
  LayerMomentum<D> layers_;
  std::vector<Wrench> impulses_;
};

extern template class ImmersedBodies<2>;
extern template class ImmersedBodies<3>;

}  // namespace sluice::fluid::grid
