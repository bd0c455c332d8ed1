// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "client/render/gas_field.h"
#include "client/render/gas_look.h"
#include "client/render/solid.h"
#include "client/render/vector.h"

namespace sluice::render {

/// A solid that has moved from its place in the scene.
struct MovedSolid {
  Solid solid;
  Float3 offset;  ///< Displacement, in metres.
};

/// A gas with one layer of cells, drawn as a picture on the layer's middle plane: dark where there
/// is nothing, with the cross-sections of the solids in it.
class GasPlate {
 public:
  /// `axis`: the axis across the plate. `field` must outlive the plate.
  GasPlate(const GasField& field, const GasScale& scale, int axis, std::vector<MovedSolid> solids);

  /// Returns the displayed linear colour where `ray` from `eye` meets the plate; nothing if the ray
  /// misses it.
  [[nodiscard]] std::optional<Float3> seen(const Float3& eye, const Float3& ray) const;

 private:
  const GasField& field_;
  GasScale scale_;
  int axis_;
  Bounds bounds_;
  std::vector<MovedSolid> solids_;
};

}  // namespace sluice::render
