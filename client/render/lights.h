// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "client/render/vector.h"

// What lights a picture, as linear colours: a surface that faces it and reflects all has the same.
namespace sluice::render {

inline constexpr Float3 sunlight{0.92F, 0.87F, 0.79F};
inline constexpr Float3 skylight{0.44F, 0.48F, 0.54F};
inline constexpr Float3 bounce{0.27F, 0.26F, 0.25F};  ///< From the ground.

}  // namespace sluice::render
