// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "solver/fluid/immersed/elastic_in_fluid.h"
#include "solver/fluid/lattice/mac_grid.h"
#include "solver/fluid/obstacles/solid_faces.h"
#include "solver/fluid/pressure/conjugate_gradients.h"
#include "solver/fluid/pressure/multigrid.h"
#include "solver/fluid/pressure/poisson.h"
#include "solver/scene/scene.h"

namespace sluice::fluid::grid {

/// Implicit viscosity of a gas that fills the domain, one velocity component at a time:
///
///     (1 - number laplace) u = u*,   number = viscosity h / (density dx^2).
///
/// The flow sticks to walls, obstacles and elastic solids that are not free of friction, and to
/// inlets, at the exact distance of their surface [Gibou2002]; elsewhere its normal gradient is 0.
template <int D>
class Diffusion {
 public:
  /// Diffuses the velocities of `live` faces, the unknowns. `solids` must be as find() left them
  /// for `grid`. The systems of the last call are used again for the same `number`, unless
  /// `has_changed` says that solids or live faces are not those of that call. `elastic`, null for
  /// none, gets the impulse that the flow loses to elastic solids.
  SolveReport apply(float number, const scene::PressureSettings& settings,
                    const SolidFaces<D>& solids, ElasticInGas<D>* elastic,
                    const typename MacGrid<D>::template Faces<std::uint8_t>& live, bool has_changed,
                    MacGrid<D>& grid);

 private:
  // An elastic solid that holds a face's velocity back.
  struct Held {
    std::size_t face;
    typename ElasticInGas<D>::Meeting by;
    float weight;  // Sum of its drag's weights over all sides; 0 for none.
  };
  struct Component {
    Component(PoissonSystem<D> faces_system, Array<float> driven_faces,
              std::vector<Held> held_faces)
        : system(std::move(faces_system)),
          preconditioner(system),
          driven(std::move(driven_faces)),
          held(std::move(held_faces)) {}
    Component(const Component&) = delete;  // One of its members refers to another.
    Component& operator=(const Component&) = delete;

    PoissonSystem<D> system;
    Multigrid<D> preconditioner;
    /// By face: `number` times the sum of weight times velocity of each surface that drags it.
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
