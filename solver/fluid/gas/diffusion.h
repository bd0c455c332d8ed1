// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "solver/fluid/immersed/elastic_solids.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/fluid/pressure/multigrid.h"
#include "solver/fluid/pressure/poisson.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::grid {

/// Implicit viscosity of what fills the domain, a component of the velocity at a time:
///
///     (1 - number laplace) u = u*,   number = viscosity h / (density dx^2).
///
/// The flow sticks to walls, obstacles and elastic solids that are not free of friction, and to
/// inlets, at the exact distance of their surface [Gibou2002]; elsewhere its gradient is 0 there.
template <int D>
class Diffusion {
 public:
  /// Of the faces that are `live`, the unknowns. `solids` are those of `grid`'s last find(). The
  /// system of the last call is kept for one of the same `number` unless `has_changed`, which says
  /// that solids or live faces are not those of that call. Elastic solids, null for none, get the
  /// impulse that the flow loses to them.
  SolveReport apply(float number, const scene::PressureSettings& settings,
                    const SolidFaces<D>& solids, ElasticInGas<D>* elastic,
                    const typename MacGrid<D>::template Faces<std::uint8_t>& live, bool has_changed,
                    MacGrid<D>& grid);

 private:
  // An elastic solid that holds a face's velocity back.
  struct Held {
    std::size_t face;
    typename ElasticInGas<D>::Meeting by;
    float weight;  // Of the drag from all sides; 0 for none.
  };
  struct Component {
    PoissonSystem<D> system;
    std::optional<Multigrid<D>> preconditioner;  ///< Of `system`, in this place.
    /// By face: the sum of what drags it times the velocity of that, times `number`.
    Array<float> driven;
    std::vector<Held> held;
  };
  [[nodiscard]] std::unique_ptr<Component> make_component(const SolidFaces<D>& solids,
                                                          const ElasticInGas<D>* elastic,
                                                          const Array<std::uint8_t>& live,
                                                          const MacGrid<D>& grid, int axis) const;
  [[nodiscard]] std::vector<Held> find_held(const ElasticInGas<D>* elastic,
                                            const Array<std::uint8_t>& live, const Tiles<D>& tiles,
                                            int axis) const;
  void give_back(const Component& component, int axis, const MacGrid<D>& grid,
                 ElasticInGas<D>& elastic) const;
  SolveReport solve(Component& component, const scene::PressureSettings& settings,
                    const Tiles<D>& tiles, Array<float>& velocity);

  float number_ = 0;
  std::array<std::unique_ptr<Component>, D> components_;
  ConjugateGradients<D> solver_;
  Array<double> source_, change_;
};

extern template class Diffusion<2>;
extern template class Diffusion<3>;

}  // namespace sluice::fluid::grid
