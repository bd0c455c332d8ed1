// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "client/render/vector.h"

namespace sluice::render {

/// What a gas carries at a place.
struct GasContent {
  std::optional<float> smoke{};        ///< Concentration.
  std::optional<float> temperature{};  ///< [K]
  std::optional<Float3> dye{};         ///< Linear.
};

/// What is seen of it.
struct GasLook {
  float density{0};   ///< 1 where it is as thick as smoke of concentration 1.
  Float3 albedo{};    ///< Share of light that it scatters, linear.
  Float3 emission{};  ///< Linear colour that it glows with, 1 being white.
};

/// How contents become looks, for all of a run.
struct GasScale {
  float ambient_temperature;  ///< [K]
  float temperature_range;    ///< [K] From ambient to the hottest or coldest that comes in.
  Float3 smoke_albedo;        ///< Linear.
};

/// Smoke scatters light, dye tints it, or is seen by itself where it is alone. Smoke and dye glow
/// from 400 K above ambient on, in the colour of a black body. Where there is heat alone, what is
/// warmer is red and what is colder blue, as thick as its share of the scale's range.
[[nodiscard]] GasLook look_of(const GasContent& content, const GasScale& scale);

/// The linear colour of a black body at `kelvin`, its red being 1. Source: Wien's law of radiation,
/// at 610, 550 and 465 nm.
[[nodiscard]] Float3 black_body_colour(float kelvin);

}  // namespace sluice::render
