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

/// What is between the eye and a surface.
struct GasSeen {
  Float3 colour{};         ///< Linear, that comes from the gas.
  float transmittance{1};  ///< Share of the surface's light that comes through.
};

/// A gas in three dimensions, lit by the sun through itself and past what stands in it, and by the
/// sky from above. Light is scattered once and evenly; of what is scattered again, a share that
/// thins more slowly stands for it (Wrenninge, Kulla and Lundqvist, "Oz: the great and volumetric",
/// 2013).
class GasVolume {
 public:
  /// `height`: of the domain; smoke of concentration 1 is nearly opaque along a tenth of it.
  /// `up`, `to_light`: unit vectors. `field` must outlive the volume.
  GasVolume(const GasField& field, const GasScale& scale, float height, const ShadowMap& shadow,
            const Float3& to_light, const Float3& up, int thread_count);

  /// Along the way from `eye` to `eye + depth * ray`; `depth` may be infinite.
  [[nodiscard]] GasSeen seen(const Float3& eye, const Float3& ray, float depth) const;

  /// Share of the sun's light that comes through the gas to `position`, in or outside of it.
  [[nodiscard]] float sun(const Float3& position) const;

 private:
  struct Cell {
    float density;
    float sun;      // Share of its light that gets here.
    float sky;      // The same of the sky.
    float through;  // As `sun`, but what stands in the gas throws no shadow.
  };
  /// The part of a way that is in the gas, in shares of the way's direction.
  struct Stretch {
    float begin, end;  // Empty where end <= begin.
  };

  void find_bricks();
  [[nodiscard]] Stretch stretch(const Float3& from, const Float3& direction) const;
  [[nodiscard]] Cell mean(const CellWeights& weights) const;

  const GasField& field_;
  GasScale scale_;
  Bounds bounds_;
  float extinction_;  // [1/m] of density 1
  Float3 to_light_;
  float step_;  // [m] along a ray
  std::vector<Cell> cells_;
  std::array<int, 3> brick_counts_{};
  Float3 bricks_a_metre_;
  std::vector<char> has_gas_;  // Of each brick of cells.
};

}  // namespace sluice::render
