// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solver/fluid/adaptive/fluid_level.h"
#include "solver/fluid/adaptive/layers.h"
#include "solver/fluid/octree/faces.h"
#include "solver/fluid/octree/tree.h"
#include "solver/fluid/octree/tree_poisson.h"

/// What the pressure's system over a tree's leaves takes from the layers' levels, and gives them.
namespace sluice::fluid::adaptive {

/// By tile of a lattice: the tile at the same place in a level of a tree, or the number of those.
using TilesInTree = std::vector<std::uint32_t>;
template <int D>
[[nodiscard]] TilesInTree tiles_in_tree(const grid::Tiles<D>& tiles,
                                        const typename octree::Tree<D>::Level& level);

/// Sets the open parts of faces of a level's leaves with fluid, and adds the weights of open sides
/// of the domain to its leaves'.
template <int D>
void set_weights(const octree::Tree<D>& tree, std::size_t k, const Layer<D>& layer,
                 const FluidLevel<D>& level, const TilesInTree& in_tree,
                 octree::TreeWeights<D>& weights);

/// Gives faces in walls the walls' velocities.
template <int D>
void set_velocities_of_walls(FluidLevel<D>& level);

/// Sets `source` to minus what flows out of each leaf of a level, in velocities through faces of
/// the finest cells. `flows` [m/s] are those through whole faces of the level, and the means of
/// those through the parts of others.
template <int D>
void find_outflow(const octree::Tree<D>& tree, std::size_t k, const Layer<D>& layer,
                  const TilesInTree& in_tree, const std::array<const float*, D>& flows,
                  std::span<double> source);

/// Takes the gradients of a solution off the velocities of a level's live faces, and of its faces
/// in open sides, beyond which the solution is 0.
template <int D>
void subtract_gradients(const octree::Tree<D>& tree, std::size_t k, const TilesInTree& in_tree,
                        const octree::Faces<D, float>& gradients, std::span<const double> solution,
                        FluidLevel<D>& level);

extern template TilesInTree tiles_in_tree<2>(const grid::Tiles<2>&, const octree::Tree<2>::Level&);
extern template TilesInTree tiles_in_tree<3>(const grid::Tiles<3>&, const octree::Tree<3>::Level&);
extern template void set_weights<2>(const octree::Tree<2>&, std::size_t, const Layer<2>&,
                                    const FluidLevel<2>&, const TilesInTree&,
                                    octree::TreeWeights<2>&);
extern template void set_weights<3>(const octree::Tree<3>&, std::size_t, const Layer<3>&,
                                    const FluidLevel<3>&, const TilesInTree&,
                                    octree::TreeWeights<3>&);
extern template void set_velocities_of_walls<2>(FluidLevel<2>&);
extern template void set_velocities_of_walls<3>(FluidLevel<3>&);
extern template void find_outflow<2>(const octree::Tree<2>&, std::size_t, const Layer<2>&,
                                     const TilesInTree&, const std::array<const float*, 2>&,
                                     std::span<double>);
extern template void find_outflow<3>(const octree::Tree<3>&, std::size_t, const Layer<3>&,
                                     const TilesInTree&, const std::array<const float*, 3>&,
                                     std::span<double>);
extern template void subtract_gradients<2>(const octree::Tree<2>&, std::size_t, const TilesInTree&,
                                           const octree::Faces<2, float>&, std::span<const double>,
                                           FluidLevel<2>&);
extern template void subtract_gradients<3>(const octree::Tree<3>&, std::size_t, const TilesInTree&,
                                           const octree::Faces<3, float>&, std::span<const double>,
                                           FluidLevel<3>&);

}  // namespace sluice::fluid::adaptive
