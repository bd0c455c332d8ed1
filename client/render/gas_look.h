// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "client/render/vector.h"

namespace sluice::render {

/// The values that a gas carries at a point.
struct GasContent {
  std::optional<float> smoke{};        ///< Concentration of smoke.
  std::optional<float> temperature{};  ///< [K]
  std::optional<Float3> dye{};         ///< Linear colour of the dye.
};

/// The optical properties of a gas at a point.
struct GasLook {
  float density{0};   ///< Optical density, 1 for smoke of concentration 1.
  Float3 albedo{};    ///< Share of light that the gas scatters, linear.
  Float3 emission{};  ///< Linear colour of the glow, 1 being white.
};

/// The scale by which contents become looks, for all frames of a run.
struct GasScale {
  float ambient_temperature;  ///< [K]
  float temperature_range;    ///< [K] From ambient to the hottest or coldest gas of the scene.
  Float3 smoke_albedo;        ///< Linear albedo of smoke.
};

/// Returns the look of a content. Smoke scatters light; dye tints it, or is seen alone. Both glow
/// from 400 K above ambient on, in the colour of a black body. A gas that carries only heat is red
/// if warmer than ambient and blue if colder, as dense as its share of the scale's range.
[[nodiscard]] GasLook look_of(const GasContent& content, const GasScale& scale);

/// Returns the linear colour of a black body at `kelvin`, scaled to red 1. Source: Wien's law of
/// radiation, at 610, 550 and 465 nm.
[[nodiscard]] Float3 black_body_colour(float kelvin);

}  // namespace sluice::render
