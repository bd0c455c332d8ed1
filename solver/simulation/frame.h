// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/coupling/contact_forces.h"
#include "solver/fluid/fluid.h"
#include "solver/fluid/particle_fluid.h"
#include "solver/simulation.h"
#include "solver/solid/deformable_system.h"
#include "solver/types.h"

namespace sluice::simulation {

/// A state as the outside sees it: float32 arrays by particle, vertex or cell. Bodies have
/// positions, velocities, then those fields of the scene's output that they can have, in its order;
/// a gas has the fields that it carries, then likewise those of the output.
class Frame {
 public:
  /// `fluid` is null in a scene without fluid.
  Frame(const scene::Scene& scene, const solid::DeformableSystem& solids,
        const fluid::Fluid* fluid);

  /// Takes over the present state; the layout follows the particles. `forces` are empty unless the
  /// scene's output has contact forces.
  void update(const solid::DeformableSystem& solids, const fluid::Fluid* fluid,
              const coupling::ContactForces& forces);

  [[nodiscard]] const std::vector<BodyLayout>& layout() const noexcept { return layout_; }
  [[nodiscard]] std::vector<FieldView> fields() const;

 private:
  void follow(const fluid::ParticleFluid& particles, std::size_t vertex_count);

  std::vector<BodyLayout> layout_;
  std::vector<Field> extra_fields_;
  std::vector<Vec3f> positions_, velocities_;  ///< Body after body.
  std::vector<std::vector<float>> extra_;      ///< By extra field; body after body.
  std::vector<float> interior_;                ///< Cells of a liquid without particles, by fours.
  std::vector<std::vector<float>> of_cells_;   ///< Values of the gas, the first body, by field.
};

}  // namespace sluice::simulation
