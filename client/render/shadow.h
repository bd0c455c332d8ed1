// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/render/draw_list.h"

namespace sluice::render {

/// The shadow map of a distant light: the depths of the scene as the light sees it.
class ShadowMap {
 public:
  /// `to_light`: unit vector. The map covers everything in `list` with `size` x `size` texels.
  ShadowMap(const DrawList& list, const Float3& to_light, int size, int thread_count);

  /// Returns the share of the light that reaches `position` on a surface with `normal`: 0 in
  /// shadow, 1 in light, between at a shadow's edge. `turn` in [0, 1) rotates the sample pattern.
  [[nodiscard]] float light(const Float3& position, const Float3& normal, float turn) const;

 private:
  Float3 to_light_;
  Float3 across_;
  Float3 along_;
  float texel_;  // Size of a texel, in metres.
  float x0_{0};
  float y0_{0};
  VisibilityBuffer buffer_;
};

}  // namespace sluice::render
