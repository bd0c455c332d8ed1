// SPDX-License-Identifier: Apache-2.0
#include "client/render/gas_plate.h"

#include <algorithm>
#include <utility>

namespace sluice::render {
namespace {

constexpr Float3 plate{0.010F, 0.013F, 0.019F};
constexpr Float3 stone{0.36F, 0.37F, 0.38F};

}  // namespace

GasPlate::GasPlate(const GasField& field, const GasScale& scale, int axis,
                   std::vector<MovedSolid> solids)
    : field_(field),
      scale_(scale),
      axis_(axis),
      bounds_(field.bounds()),
      solids_(std::move(solids)) {}

std::optional<Float3> GasPlate::seen(const Float3& eye, const Float3& ray) const {
  const float middle = 0.5F * (bounds_.lower[axis_] + bounds_.upper[axis_]);
  const float depth = (middle - eye[axis_]) / ray[axis_];
  if (!(depth > 0)) {
    return {};  // Behind the eye, or seen along the edge.
  }
  Float3 p = eye + ray * depth;
  p[axis_] = middle;
  for (int axis = 0; axis < 3; ++axis) {
    if (!(p[axis] >= bounds_.lower[axis] && p[axis] <= bounds_.upper[axis])) {
      return {};
    }
  }
  if (std::any_of(solids_.begin(), solids_.end(), [&](const MovedSolid& moved) {
        return moved.solid.contains(p - moved.offset);
      })) {
    return stone;
  }
  const GasLook look = look_of(field_.mean(field_.weights(p)), scale_);
  return mix(plate, look.albedo + look.emission, std::min(look.density, 1.0F));
}

}  // namespace sluice::render
