// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "solver/fluid/mpm/mpm_fluid.h"
#include "solver/simulation.h"
#include "solver/solid/cloth_system.h"
#include "solver/types.h"

namespace sluice::simulation {

/// What the outside sees of a state: float32 arrays by stable id.
class Frame {
 public:
  Frame(const scene::Scene& scene, const solid::ClothSystem& cloth, const fluid::MpmFluid* fluid);

  void update(const solid::ClothSystem& cloth, const fluid::MpmFluid* fluid);

  [[nodiscard]] const std::vector<BodyLayout>& layout() const noexcept { return layout_; }
  [[nodiscard]] std::vector<FieldView> fields() const;

 private:
  std::vector<BodyLayout> layout_;
  std::vector<Vec3f> positions_, velocities_;  ///< Body after body.
};

}  // namespace sluice::simulation
