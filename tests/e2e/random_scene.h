// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sluice::e2e {

/// A scene at random, as JSON, of at most a few thousand particles, cells and vertices: domains
/// from 1 mm to 1 km, each fluid solver and material in two and three dimensions or none, each
/// kind of body, obstacles from a fiftieth of a cell to three cells thick, sources and drains. Its
/// times, speeds and stiffnesses go with its size. The same numbers give the same scene. One in
/// three or so is not valid: bodies stand in each other, or a method does not serve them.
/// `attempt` tells scenes of one `seed` apart.
[[nodiscard]] std::string random_scene(std::uint32_t seed, std::uint32_t attempt);

}  // namespace sluice::e2e
