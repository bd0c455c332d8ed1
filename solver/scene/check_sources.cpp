// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "solver/scene/checks.h"
#include "solver/scene/seeding.h"

namespace sluice::scene {
namespace {

constexpr double largest_rate = 1e9;  // [m^3/s]
constexpr double latest = 1e6;        // [s]
constexpr std::int64_t most_particles = 100'000'000;

// In cells, how far the length of a periodic domain may be off whole ones: less than grid_cells
// takes for rounding, or a domain a little short would lose a cell.
constexpr double whole_cells = 5e-7;

// A shape that fluid comes in by or goes out by.
void check_opening(const Scene& scene, const geometry::Shape& shape, const std::string& path,
                   ProblemList& problems) {
  check_shape(shape, path, problems);
  if (std::holds_alternative<geometry::HalfSpace>(shape.form)) {
    problems.error(path, "must be bounded: a half-space is not");
    return;
  }
  if (!problems.sound(path) || !problems.sound("domain")) return;
  const geometry::Bounds bounds = geometry::bounds(shape);
  if ((bounds.upper.array() <= scene.domain_lower.array()).any() ||
      (bounds.lower.array() >= scene.domain_upper.array()).any()) {
    problems.error(path, "lies outside the domain");
  }
}

void check_emitter(const Scene& scene, const Emitter& emitter, const std::string& path,
                   ProblemList& problems) {
  check_opening(scene, emitter.shape, path + ".shape", problems);
  if (problems.sound(path + ".shape") && problems.sound("fluid_grid.cell_size")) {
    const double thickness = 2 * geometry::smallest_half_extent(emitter.shape);
    if (thickness < scene.grid.cell_size) {
      problems.error(path + ".shape",
                     fmt::format("is {:.3g} m thick; it needs at least a cell of the fluid grid, "
                                 "{} m, for fluid not to step over it",
                                 thickness, scene.grid.cell_size));
    }
  }
  problems.range(emitter.velocity, -largest_speed, largest_speed, path + ".velocity");
  if (emitter.velocity.isZero(0)) {
    problems.error(path + ".velocity", "must not be 0: no fluid would come in");
  }
  if (!(std::isinf(emitter.rate) && emitter.rate > 0))
    problems.positive(emitter.rate, largest_rate, path + ".rate");
  check_times(emitter.open, path, problems);
}

void check_max_particles(const Scene& scene, const Limits& limits, ProblemList& problems) {
  const std::string path = "fluid_grid.max_particles";
  const std::int64_t most = std::min(most_particles, limits.particle_count);
  if (scene.grid.max_particles < 1 || scene.grid.max_particles > most) {
    problems.error(path, fmt::format("{} is not in [1, {}]", scene.grid.max_particles, most));
  }
}

void check_periodic_axes(const Scene& scene, ProblemList& problems) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (scene.grid.sides[axis][0] != Side::periodic) continue;
    if (!problems.sound("domain") || !problems.sound("fluid_grid.cell_size")) continue;
    const auto a = static_cast<Eigen::Index>(axis);
    const double cells = (scene.domain_upper[a] - scene.domain_lower[a]) / scene.grid.cell_size;
    if (std::abs(cells - std::round(cells)) > whole_cells) {
      problems.error("domain.periodic_axes",
                     fmt::format("the domain is {:.6g} cells of the fluid grid long along {}; it "
                                 "must be a whole number of them",
                                 cells, "xyz"[axis]));
    }
  }
}

}  // namespace

void check_times(const TimeSpan& open, const std::string& path, ProblemList& problems) {
  problems.range(open.start, 0, latest, path + ".start_seconds");
  if (std::isinf(open.stop) && open.stop > 0) return;  // It stays open.
  if (!(open.stop > open.start && open.stop <= latest)) {
    problems.error(path + ".stop_seconds", fmt::format("{} is not in ({}, {}]: above start_seconds",
                                                       open.stop, open.start, latest));
  }
}

void check_periodic_tiles(const Scene& scene, const char* fluid, ProblemList& problems) {
  if (!problems.sound("domain") || !problems.sound("fluid_grid.cell_size")) return;
  const std::int64_t multiple = scene.grid.dimensions == 2 ? 32 : 16;
  const std::array<std::int64_t, 3> cells = grid_cells(scene);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (scene.grid.sides[axis][0] != Side::periodic) continue;
    if (scene.grid.dimensions == 2 && axis == 1) continue;  // Nothing flows along it.
    if (cells[axis] % multiple == 0) continue;
    problems.error(
        "domain.periodic_axes",
        fmt::format("{} cells along {} are no multiple of {}, as {} {} needs there", cells[axis],
                    "xyz"[axis], multiple, fluid,
                    scene.grid.dimensions == 2 ? "in two dimensions" : "in three dimensions"));
  }
}

void check_sources(const Scene& scene, const Limits& limits, ProblemList& problems) {
  bool has_emitter = false;
  for (std::size_t i = 0; i < scene.fluids.size(); ++i) {
    const std::string path = element("fluids", i) + ".emitters";
    for (std::size_t e = 0; e < scene.fluids[i].emitters.size(); ++e) {
      check_emitter(scene, scene.fluids[i].emitters[e], element(path, e), problems);
      has_emitter = true;
    }
  }
  if (has_emitter) check_max_particles(scene, limits, problems);
  for (std::size_t i = 0; i < scene.drains.size(); ++i) {
    const std::string path = element("drains", i);
    check_opening(scene, scene.drains[i].shape, path + ".shape", problems);
    check_times(scene.drains[i].open, path, problems);
  }
  if (!scene.drains.empty() && scene.fluids.empty() && problems.sound("fluids")) {
    problems.error("drains", "have no use: the scene has no `fluids`");
  }
  check_periodic_axes(scene, problems);
}

}  // namespace sluice::scene
