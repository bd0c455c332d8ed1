// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "client/render/gas_field.h"
#include "client/render/gas_look.h"
#include "client/render/shadow.h"
#include "client/render/vector.h"

namespace sluice::render {

/// The effect of the gas between the eye and a surface.
struct GasSeen {
  Float3 colour{};         ///< Linear colour of the light that comes from the gas.
  float transmittance{1};  ///< Share of the surface's light that passes the gas.
};

/// A gas in three dimensions, lit by the sun, with the shadows of the gas and of solids, and by the
/// sky from above. Light is scattered once, equally in all directions; a share that fades more
/// slowly stands for light that is scattered several times (Wrenninge, Kulla and Lundqvist, "Oz:
/// the great and volumetric", 2013).
class GasVolume {
 public:
  /// `height`: the domain's; smoke of concentration 1 is nearly opaque along a tenth of it.
  /// `up`, `to_light`: unit vectors. `field` must outlive the volume.
  GasVolume(const GasField& field, const GasScale& scale, float height, const ShadowMap& shadow,
            const Float3& to_light, const Float3& up, int thread_count);

  /// Returns the effect of the gas from `eye` to `eye + depth * ray`; `depth` may be infinite.
  [[nodiscard]] GasSeen seen(const Float3& eye, const Float3& ray, float depth) const;

  /// Returns the share of the sun's light that reaches `position`, in or outside of the gas.
  [[nodiscard]] float sun(const Float3& position) const;

 private:
  struct Cell {
    float density;
    float sun;      // Share of the sun's light that reaches the cell.
    float sky;      // Share of the sky's light that reaches the cell.
    float through;  // Share of the sun's light that passes the gas; solids throw no shadow.
  };
  /// The part of a ray that is in the gas, in multiples of the ray's direction.
  struct Stretch {
    float begin, end;  // Empty if end <= begin.
  };

  void find_bricks();
  [[nodiscard]] Stretch stretch(const Float3& from, const Float3& direction) const;
  [[nodiscard]] Cell mean(const CellWeights& weights) const;

  const GasField& field_;
  GasScale scale_;
  Bounds bounds_;
  float extinction_;  // [1/m] For density 1.
  Float3 to_light_;
  float step_;  // [m] Step along a ray.
  std::vector<Cell> cells_;
  std::array<int, 3> brick_counts_{};
  Float3 bricks_a_metre_;
  std::vector<char> has_gas_;  // For each brick, a block of cells: whether it has gas.
};

}  // namespace sluice::render
