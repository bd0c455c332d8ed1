// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solver/fluid/adaptive/layers.h"
#include "solver/fluid/lattice/cell_frame.h"
#include "solver/fluid/octree/cell_set.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

/// Where a tree is to have small cells.
namespace sluice::fluid::adaptive {

/// [cells] A substep that reaches further than the longest way by one cell, and cubic interpolation
/// by two.
inline constexpr std::int32_t reach_of_interpolation = 4;

/// Cells are divided as far around what needs small ones as that can go in a substep, and somewhat
/// further, so that they need not be in each; cells are joined again after so many substeps.
inline constexpr std::int32_t spare_cells = 1;
inline constexpr int substeps_before_joining = 8;

/// What turns the flow by that part of the largest velocity, across a cell, is detail.
inline constexpr double part_of_velocity = 0.1;

/// By level: `finest` cells of level 0, in cells of the level and rounded up, and `more` of these.
[[nodiscard]] std::vector<std::int32_t> cells_by_level(double finest, std::int32_t more,
                                                       std::size_t levels);

/// Values of cells, by level, and the difference between the two sides of a cell that is enough to
/// divide it; infinity for none.
struct SizedValues {
  std::vector<const Array<float>*> levels;
  float tolerance;
};

/// Velocities [m/s] on faces, by level, and how much of them may turn across a cell.
template <int D>
struct SizedVelocity {
  std::vector<const std::array<Array<float>, D>*> levels;
  float tolerance;  ///< [m/s]
};

/// Cells to divide, by level.
template <int D>
using WantedCells = std::vector<octree::Cells<D>>;

/// The cells across which values differ, or the flow turns, by more than is tolerated.
/// Looks at cells of layers that are filled.
template <int D>
[[nodiscard]] WantedCells<D> cells_with_detail(const Layers<D>& layers,
                                               std::span<const SizedValues> values,
                                               const SizedVelocity<D>& velocity);

/// Adds, to each level's, all cells that are at most margin[level] cells away. `size` is the
/// domain's, in finest cells.
template <int D>
[[nodiscard]] WantedCells<D> widened(const Cell<D>& size, const WantedCells<D>& cells,
                                     std::span<const std::int32_t> margin);

/// Adds, to each level's, the cells that the domain's end cuts, and the parents of the finer one's
/// with all cells next to them: then leaves that touch differ by one level at most, as
/// interpolation between sizes is best where it has to bridge little.
template <int D>
[[nodiscard]] WantedCells<D> graded(const Cell<D>& size, WantedCells<D> cells);

/// The cells of a box of `size` finest cells that have something of a region in them. `distance`
/// [m] is how far a place [m] is from the region: 0 in it.
template <int D>
[[nodiscard]] WantedCells<D> cells_in(const std::function<double(const Vec3& x)>& distance,
                                      const grid::CellFrame<D>& finest, double depth,
                                      const Cell<D>& size, std::size_t level_count);

/// [m] How far a place [m] is from the nearest of some obstacles, negative inside.
[[nodiscard]] double distance_to(std::span<const scene::Obstacle> obstacles, const Vec3& x);

/// The cells of both.
template <int D>
[[nodiscard]] WantedCells<D> united(const WantedCells<D>& a, const WantedCells<D>& b);

/// The cells that a tree divides.
template <int D>
[[nodiscard]] WantedCells<D> divided_cells(const octree::Tree<D>& tree);

/// Whether the tree divides all of these cells.
template <int D>
[[nodiscard]] bool divides(const octree::Tree<D>& tree, const WantedCells<D>& cells);

extern template WantedCells<2> cells_with_detail<2>(const Layers<2>&, std::span<const SizedValues>,
                                                    const SizedVelocity<2>&);
extern template WantedCells<2> widened<2>(const Cell<2>&, const WantedCells<2>&,
                                          std::span<const std::int32_t>);
extern template WantedCells<2> graded<2>(const Cell<2>&, WantedCells<2>);
extern template WantedCells<2> cells_in<2>(const std::function<double(const Vec3&)>&,
                                           const grid::CellFrame<2>&, double, const Cell<2>&,
                                           std::size_t);
extern template WantedCells<2> united<2>(const WantedCells<2>&, const WantedCells<2>&);
extern template WantedCells<2> divided_cells<2>(const octree::Tree<2>&);
extern template bool divides<2>(const octree::Tree<2>&, const WantedCells<2>&);
extern template WantedCells<3> cells_with_detail<3>(const Layers<3>&, std::span<const SizedValues>,
                                                    const SizedVelocity<3>&);
extern template WantedCells<3> widened<3>(const Cell<3>&, const WantedCells<3>&,
                                          std::span<const std::int32_t>);
extern template WantedCells<3> graded<3>(const Cell<3>&, WantedCells<3>);
extern template WantedCells<3> cells_in<3>(const std::function<double(const Vec3&)>&,
                                           const grid::CellFrame<3>&, double, const Cell<3>&,
                                           std::size_t);
extern template WantedCells<3> united<3>(const WantedCells<3>&, const WantedCells<3>&);
extern template WantedCells<3> divided_cells<3>(const octree::Tree<3>&);
extern template bool divides<3>(const octree::Tree<3>&, const WantedCells<3>&);

}  // namespace sluice::fluid::adaptive
