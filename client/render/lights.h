// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/render/vector.h"

// Linear colours of a picture's lights: a white surface that faces a light has the light's colour.
namespace sluice::render {

inline constexpr Float3 sunlight{0.92F, 0.87F, 0.79F};
inline constexpr Float3 skylight{0.44F, 0.48F, 0.54F};
inline constexpr Float3 bounce{0.27F, 0.26F, 0.25F};  ///< Light from the ground.

}  // namespace sluice::render
