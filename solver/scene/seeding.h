// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "solver/scene/scene.h"
#include "solver/types.h"

/// Where the particles of a fluid are at time 0. Here, and not with the fluid's solver, because a
/// scene is valid only if its particles are: both read this.
///
/// Seeds stand on one lattice for the whole scene: domain_lower + (i + 1/2, j + 1/2, k + 1/2) s, s
/// = seed_spacing(grid), strictly inside the domain. A fluid has those that are in one of its
/// regions (surface included), in no obstacle (surface included) and in no region of a fluid before
/// it. Each stands for a volume of s^3.
namespace sluice::scene {

/// [m] cell_size / particles_per_axis.
[[nodiscard]] double seed_spacing(const FluidGrid& grid) noexcept;

/// How a count ended.
enum class SeedOutcome {
  complete,
  too_many,       ///< `count` passed the limit; there are more.
  too_intricate,  ///< More shapes overlap in more places than can be told apart in reasonable time.
};

struct SeedCount {
  std::int64_t count;
  SeedOutcome outcome;
};

/// Counts the seeds of `scene.fluids[fluid]` without placing them, stopping soon after `limit`.
/// Needs finite, ordered domain corners, a cell size > 0, particles_per_axis >= 1 and at most 2^31
/// seeds an axis.
[[nodiscard]] SeedCount count_seeds(const Scene& scene, std::size_t fluid, std::int64_t limit);

/// As `count_seeds`, of one region alone (less obstacles and fluids before it).
[[nodiscard]] SeedCount count_region_seeds(const Scene& scene, std::size_t fluid,
                                           std::size_t region, std::int64_t limit);

/// The seeds of `scene.fluids[fluid]` [m], in an order that keeps neighbours together and depends
/// on the scene alone. Of a scene that `validate` accepts: then `count_seeds` says how many, and
/// they fit the memory that was allowed.
[[nodiscard]] std::vector<Vec3> seed_positions(const Scene& scene, std::size_t fluid);

/// Some seed of `scene.fluids[fluid]` that is closer than `distance` [m] to the triangle a, b, c,
/// if there is one.
[[nodiscard]] std::optional<Vec3> seed_near_triangle(const Scene& scene, std::size_t fluid,
                                                     const Vec3& a, const Vec3& b, const Vec3& c,
                                                     double distance);

}  // namespace sluice::scene
