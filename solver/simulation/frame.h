// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/coupling/contact_forces.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/simulation.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::simulation {

/// What the outside sees of a state: float32 arrays by particle or vertex. Bodies have positions,
/// velocities, then what the scene's output names and they can have, in its order.
class Frame {
 public:
  Frame(const scene::Scene& scene, const solid::DeformableSystem& solids,
        const fluid::ParticleFluid* fluid);

  /// The layout follows the particles that there are. `forces` are empty unless the scene's output
  /// has them.
  void update(const solid::DeformableSystem& solids, const fluid::ParticleFluid* fluid,
              const coupling::ContactForces& forces);

  [[nodiscard]] const std::vector<BodyLayout>& layout() const noexcept { return layout_; }
  [[nodiscard]] std::vector<FieldView> fields() const;

 private:
  void follow(const fluid::ParticleFluid& fluid, std::size_t vertex_count);

  std::vector<BodyLayout> layout_;
  std::vector<Field> extra_fields_;
  std::vector<Vec3f> positions_, velocities_;  ///< Body after body.
  std::vector<std::vector<float>> extra_;      ///< By extra field; body after body.
};

}  // namespace sluice::simulation
