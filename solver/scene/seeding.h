// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "solver/scene/enclosure.h"
#include "solver/scene/scene.h"
#include "solver/types.h"

/// Where the particles of a fluid are at time 0. Here, and not with the fluid's solver, because a
/// scene is valid only if its particles are: both read this.
///
/// Seeds stand on one lattice for the whole scene:
///     domain_lower + (i + 1/2, j + 1/2, k + 1/2) s,  s = cell_size / particles_per_axis,
/// in the whole cells of the domain. A fluid has those that are inside one of its regions (signed
/// distance < 0), inside no obstacle and inside no region of a fluid before it; and, unless fluids
/// go through solids, neither inside a soft or rigid body nor closer to a solid than the contact
/// distance and half the thickness of a cloth. Each stands for a volume of s^3. In two dimensions
/// there is one along y, in the domain's middle, and for that axis s is the domain's length.
///
/// All functions need finite, ordered domain corners, cell_size > 0, particles_per_axis >= 1 and
/// shapes with finite sizes; and, but for one_way, solids whose meshes have no faults.
namespace sluice::scene {

/// [m] cell_size / particles_per_axis.
[[nodiscard]] double seed_spacing(const FluidGrid& grid) noexcept;

/// [m] From seed to seed along each axis: a seed stands for a box with these edges.
[[nodiscard]] Vec3 seed_steps(const Scene& scene) noexcept;

/// Whole cells of the fluid grid along each axis of the domain; a side that is no multiple of
/// cell_size loses the rest. In two dimensions one along y, as deep as the domain. Saturates at
/// 2^40.
[[nodiscard]] std::array<std::int64_t, 3> grid_cells(const Scene& scene) noexcept;

/// Work that counts and searches may still do, in evaluations of a distance; each takes from it. A
/// ball of 10 million seeds needs about 2 million. The default is some seconds.
struct SeedWork {
  std::int64_t evaluations_left = 100'000'000;
};

/// How a count ended.
enum class SeedOutcome {
  complete,
  too_many,       ///< `count` passed the limit; there are more.
  too_intricate,  ///< The work was used up: too many shapes overlap in too many places.
};

struct SeedCount {
  std::int64_t count;
  SeedOutcome outcome;
};

/// The seeds of a scene.
class Seeds {
 public:
  /// `scene` must outlive this.
  explicit Seeds(const Scene& scene);

  /// Counts the seeds of a fluid without placing them, stopping soon after `limit`.
  [[nodiscard]] SeedCount count(std::size_t fluid, std::int64_t limit, SeedWork& work) const;

  /// Does so for one region alone; if `carved`, less what obstacles, fluids before and solids take.
  [[nodiscard]] SeedCount count_region(std::size_t fluid, std::size_t region, bool carved,
                                       std::int64_t limit, SeedWork& work) const;

  /// The seeds of a fluid [m], in an order that keeps neighbours together and depends on the scene
  /// alone, but for those that `is_left_out`, if it is not empty. Memory: 24 bytes a seed; ask
  /// `count` before.
  [[nodiscard]] std::vector<Vec3> positions(
      std::size_t fluid, const std::function<bool(const Vec3&)>& is_left_out = {}) const;

 private:
  const Scene& scene_;
  std::vector<Enclosure> solids_;  // Solids that fluid does not go through.
};

}  // namespace sluice::scene
