// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sluice/v1/scene.pb.h"

namespace sluice::e2e {

/// A small scene at random: a few hundred cells, sheets, soft and rigid bodies, obstacles from a
/// hundredth of a cell to several cells thick, in a domain of 1 mm to 1 km, over four frames in
/// which things fall by about a tenth of the domain. The same for the same seed.
///
/// Combinations that a solver cannot do are among them: validation has to say so.
[[nodiscard]] v1::Scene random_scene(unsigned seed);

}  // namespace sluice::e2e
