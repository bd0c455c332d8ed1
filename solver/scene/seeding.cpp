// SPDX-License-Identifier: Apache-2.0
#include "solver/scene/seeding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "solver/geometry/shape.h"
#include "solver/geometry/tet_surface.h"
#include "solver/scene/capabilities.h"

namespace sluice::scene {
namespace {

using geometry::Shape;

// Lattice points with lower <= index < upper, per axis.
struct IndexBox {
  std::array<std::int64_t, 3> lower;
  std::array<std::int64_t, 3> upper;

  [[nodiscard]] bool empty() const {
    return lower[0] >= upper[0] || lower[1] >= upper[1] || lower[2] >= upper[2];
  }
  [[nodiscard]] std::int64_t extent(std::size_t axis) const { return upper[axis] - lower[axis]; }
  // Saturates: a domain may have more lattice points than 63 bits count.
  [[nodiscard]] std::int64_t count() const {
    const double product = static_cast<double>(extent(0)) * static_cast<double>(extent(1)) *
                           static_cast<double>(extent(2));
    if (product > 4e18) return std::int64_t{1} << 62;
    return extent(0) * extent(1) * extent(2);
  }
};

std::pair<IndexBox, IndexBox> halves(const IndexBox& box) {
  std::size_t axis = 0;
  for (std::size_t other = 1; other < 3; ++other) {
    if (box.extent(other) > box.extent(axis)) axis = other;
  }
  const std::int64_t middle = box.lower[axis] + box.extent(axis) / 2;
  std::pair<IndexBox, IndexBox> both{box, box};
  both.first.upper[axis] = middle;
  both.second.lower[axis] = middle;
  return both;
}

struct Lattice {
  Vec3 origin, steps;
  std::array<std::int64_t, 3> counts;

  explicit Lattice(const Scene& scene)
      : origin(scene.domain_lower), steps(seed_steps(scene)), counts(grid_cells(scene)) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis != 1 || scene.grid.dimensions == 3) counts[axis] *= scene.grid.particles_per_axis;
    }
  }
  [[nodiscard]] Vec3 point(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return origin +
           steps.cwiseProduct(Vec3{static_cast<double>(i) + 0.5, static_cast<double>(j) + 0.5,
                                   static_cast<double>(k) + 0.5});
  }
  [[nodiscard]] Vec3 center(const IndexBox& box) const {
    Vec3 sum;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum[static_cast<Eigen::Index>(axis)] =
          0.5 * static_cast<double>(box.lower[axis] + box.upper[axis]);
    }
    return origin + steps.cwiseProduct(sum);
  }
  // The radius of the ball around center(box) that holds the box's lattice points, a rounding error
  // larger.
  [[nodiscard]] double radius(const IndexBox& box) const {
    if (box.count() == 1) return 0;
    const Vec3 extents{static_cast<double>(box.extent(0) - 1),
                       static_cast<double>(box.extent(1) - 1),
                       static_cast<double>(box.extent(2) - 1)};
    return 0.5 * steps.cwiseProduct(extents).norm() * (1 + 1e-9);
  }
  // Lattice points within `bounds` and the domain.
  [[nodiscard]] IndexBox box(const geometry::Bounds& bounds) const {
    IndexBox box{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto eigen_axis = static_cast<Eigen::Index>(axis);
      const auto size = static_cast<double>(counts[axis]);
      const double first =
          (bounds.lower[eigen_axis] - origin[eigen_axis]) / steps[eigen_axis] - 0.5;
      const double last = (bounds.upper[eigen_axis] - origin[eigen_axis]) / steps[eigen_axis] - 0.5;
      box.lower[axis] = static_cast<std::int64_t>(std::clamp(std::floor(first), 0.0, size));
      box.upper[axis] = static_cast<std::int64_t>(std::clamp(std::ceil(last) + 1, 0.0, size));
    }
    return box;
  }
};

// Visits the seeds of a union of shapes less another union, as boxes of lattice points that are
// seeds throughout. A box whose ball is wholly on one side of every shape's surface is decided as a
// whole (the distances are exact), else it is halved along its longest side: the work goes with the
// surface, not with the volume.
class SeedWalk {
 public:
  SeedWalk(const Scene& scene, SeedWork& work) : lattice_(scene), work_(work) {}

  void include(const Shape& shape) { shapes_.push_back({&shape, false}); }
  void exclude(const Shape& shape) { shapes_.push_back({&shape, true}); }
  void exclude(std::span<const Enclosure> enclosures) { enclosures_ = enclosures; }

  // [m] The bounds of everything included.
  [[nodiscard]] geometry::Bounds bounds() const {
    geometry::Bounds all{Vec3::Constant(std::numeric_limits<double>::infinity()),
                         Vec3::Constant(-std::numeric_limits<double>::infinity())};
    for (const Candidate& candidate : shapes_) {
      if (candidate.excluded) continue;
      const geometry::Bounds one = geometry::bounds(*candidate.shape);
      all.lower = all.lower.cwiseMin(one.lower);
      all.upper = all.upper.cwiseMax(one.upper);
    }
    return all;
  }

  [[nodiscard]] SeedCount count(std::int64_t limit) {
    SeedCount answer{0, SeedOutcome::complete};
    run([&](const IndexBox& box) {
      answer.count += std::min(box.count(), limit + 1);
      return answer.count <= limit;
    });
    if (exhausted()) answer.outcome = SeedOutcome::too_intricate;
    if (answer.count > limit) answer.outcome = SeedOutcome::too_many;
    return answer;
  }

  [[nodiscard]] std::vector<Vec3> points(const std::function<bool(const Vec3&)>& is_left_out) {
    std::vector<Vec3> all;
    run([&](const IndexBox& box) {
      for (std::int64_t i = box.lower[0]; i < box.upper[0]; ++i) {
        for (std::int64_t j = box.lower[1]; j < box.upper[1]; ++j) {
          for (std::int64_t k = box.lower[2]; k < box.upper[2]; ++k) {
            const Vec3 point = lattice_.point(i, j, k);
            if (!is_left_out || !is_left_out(point)) all.push_back(point);
          }
        }
      }
      return true;
    });
    return all;
  }

 private:
  [[nodiscard]] bool exhausted() const { return work_.evaluations_left < 0; }
  void charge() { --work_.evaluations_left; }

  // `visit(box)` returns false to end the walk.
  template <typename Visit>
  void run(Visit&& visit) {
    const IndexBox box = lattice_.box(bounds());
    if (!box.empty() && !exhausted()) descend(box, 0, shapes_.size(), false, visit);
  }

  struct Candidate {
    const Shape* shape;
    bool excluded;
  };

  // shapes_[first, last) are those that are undecided for the box around this one; `inside` says
  // that a region holds it whole.
  template <typename Visit>
  bool descend(const IndexBox& box, std::size_t first, std::size_t last, bool inside,
               Visit& visit) {
    const Vec3 center = lattice_.center(box);
    const double radius = lattice_.radius(box);
    const std::size_t kept_first = shapes_.size();
    bool may_be_inside = inside;
    bool carved = false;
    for (std::size_t i = first; i < last && !carved; ++i) {
      const Candidate candidate = shapes_[i];
      if (inside && !candidate.excluded) continue;
      charge();
      if (exhausted()) break;
      const double distance = geometry::signed_distance(*candidate.shape, center).distance;
      if (distance >= radius) continue;
      if (distance < -radius) {
        if (candidate.excluded) {
          carved = true;
        } else {
          inside = true;
        }
        continue;
      }
      may_be_inside = may_be_inside || !candidate.excluded;
      shapes_.push_back(candidate);
    }
    const std::size_t kept_last = shapes_.size();
    bool go_on = !exhausted();
    if (go_on && !carved && (inside || may_be_inside)) {
      if (inside && all_included(kept_first, kept_last)) {
        go_on = visit_open(box, center, radius, visit);
      } else {
        const auto [low, high] = halves(box);
        go_on = descend(low, kept_first, kept_last, inside, visit) &&
                descend(high, kept_first, kept_last, inside, visit);
      }
    }
    shapes_.resize(kept_first);
    return go_on;
  }

  // Visits the parts of a box of seeds that no enclosure has.
  template <typename Visit>
  bool visit_open(const IndexBox& box, const Vec3& center, double radius, Visit& visit) {
    bool is_open = true;
    for (const Enclosure& enclosure : enclosures_) {
      charge();
      const std::optional<bool> has = enclosure.has(center, radius, work_.evaluations_left);
      if (has.has_value() && *has) return true;
      is_open = is_open && has.has_value();
    }
    if (exhausted()) return false;
    if (is_open) return visit(box);
    const auto [low, high] = halves(box);
    return visit_open(low, lattice_.center(low), lattice_.radius(low), visit) &&
           visit_open(high, lattice_.center(high), lattice_.radius(high), visit);
  }

  [[nodiscard]] bool all_included(std::size_t first, std::size_t last) const {
    return std::none_of(shapes_.begin() + static_cast<std::ptrdiff_t>(first),
                        shapes_.begin() + static_cast<std::ptrdiff_t>(last),
                        [](const Candidate& candidate) { return candidate.excluded; });
  }

  Lattice lattice_;
  std::vector<Candidate> shapes_;  // The shapes given, then the undecided ones of each level below.
  std::span<const Enclosure> enclosures_;
  SeedWork& work_;
};

void carve(SeedWalk& walk, const Scene& scene, std::size_t fluid,
           std::span<const Enclosure> solids) {
  for (const Obstacle& obstacle : scene.obstacles)
    walk.exclude(obstacle.shape);
  for (std::size_t before = 0; before < fluid; ++before) {
    for (const Shape& region : scene.fluids[before].regions)
      walk.exclude(region);
  }
  walk.exclude(solids);
}

SeedWalk walk_fluid(const Scene& scene, std::size_t fluid, std::span<const Enclosure> solids,
                    SeedWork& work) {
  SeedWalk walk(scene, work);
  for (const Shape& region : scene.fluids[fluid].regions)
    walk.include(region);
  carve(walk, scene, fluid, solids);
  return walk;
}

}  // namespace

double seed_spacing(const FluidGrid& grid) noexcept {
  return grid.cell_size / grid.particles_per_axis;
}

Vec3 seed_steps(const Scene& scene) noexcept {
  Vec3 steps = Vec3::Constant(seed_spacing(scene.grid));
  if (scene.grid.dimensions == 2) steps.y() = scene.domain_upper.y() - scene.domain_lower.y();
  return steps;
}

std::array<std::int64_t, 3> grid_cells(const Scene& scene) noexcept {
  std::array<std::int64_t, 3> cells{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto eigen_axis = static_cast<Eigen::Index>(axis);
    const double length = scene.domain_upper[eigen_axis] - scene.domain_lower[eigen_axis];
    // 1e-6: 0.6 m of 0.02 m cells is thirty of them, though 0.6 / 0.02 rounds to less.
    const double whole = std::floor(length / scene.grid.cell_size + 1e-6);
    cells[axis] = static_cast<std::int64_t>(std::clamp(whole, 0.0, 0x1p40));
  }
  if (scene.grid.dimensions == 2) cells[1] = 1;
  return cells;
}

Seeds::Seeds(const Scene& scene) : scene_(scene) {
  if (row_of(scene.coupling.method).lets_fluid_through) return;
  const double distance = scene.coupling.contact_distance;
  for (const Cloth& cloth : scene.cloths)
    solids_.emplace_back(cloth.mesh, false,
                         distance + (are_cloths_slices(scene) ? 0 : cloth.thickness / 2));
  for (const SoftBody& body : scene.soft_bodies)
    solids_.emplace_back(geometry::boundary_surface(body.mesh).mesh, true, distance);
  for (const RigidBody& body : scene.rigid_bodies)
    solids_.emplace_back(body.mesh, true, distance);
}

SeedCount Seeds::count(std::size_t fluid, std::int64_t limit, SeedWork& work) const {
  return walk_fluid(scene_, fluid, solids_, work).count(limit);
}

SeedCount Seeds::count_region(std::size_t fluid, std::size_t region, bool carved,
                              std::int64_t limit, SeedWork& work) const {
  SeedWalk walk(scene_, work);
  walk.include(scene_.fluids[fluid].regions[region]);
  if (carved) carve(walk, scene_, fluid, solids_);
  return walk.count(limit);
}

std::vector<Vec3> Seeds::positions(std::size_t fluid,
                                   const std::function<bool(const Vec3&)>& is_left_out) const {
  SeedWork unbounded{std::numeric_limits<std::int64_t>::max()};
  return walk_fluid(scene_, fluid, solids_, unbounded).points(is_left_out);
}

}  // namespace sluice::scene
