// SPDX-License-Identifier: Apache-2.0
#include "solver/scene/seeding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "solver/geometry/point_triangle.h"
#include "solver/geometry/shape.h"
#include "solver/geometry/sparse_grid.h"
#include "solver/geometry/winding.h"

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
  // Of the ball around center(box) that holds the box's lattice points, a rounding error larger.
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

geometry::Triangle corners(const geometry::TriangleMesh& mesh, std::size_t triangle) {
  const TriangleIndices& index = mesh.triangles[triangle];
  return {mesh.vertices[static_cast<std::size_t>(index[0])],
          mesh.vertices[static_cast<std::size_t>(index[1])],
          mesh.vertices[static_cast<std::size_t>(index[2])]};
}

// What is inside a closed surface, or closer to it than a distance.
class Enclosure {
 public:
  Enclosure(const geometry::TriangleMesh& surface, double distance)
      : surface_(surface), triangles_(geometry::triangle_boxes(surface)), distance_(distance) {}

  // Whether it has all of a ball, which is a point where its radius is 0; nothing if it may have a
  // part.
  [[nodiscard]] std::optional<bool> has(const Vec3& center, double radius) const {
    const Vec3 reach = Vec3::Constant(radius + distance_);
    double nearest = std::numeric_limits<double>::infinity();  // Squared.
    triangles_.for_each_overlap({center - reach, center + reach}, [&](std::int32_t t) {
      const auto triangle = static_cast<std::size_t>(t);
      const auto found = geometry::nearest_point(corners(surface_, triangle), center);
      nearest = std::min(nearest, found.squared_distance);
    });
    if (radius == 0 && nearest < distance_ * distance_) return true;
    if (radius > 0 && nearest < reach[0] * reach[0]) return std::nullopt;
    return geometry::winding_number(surface_, triangles_, center) != 0;
  }

 private:
  const geometry::TriangleMesh& surface_;
  geometry::SparseGrid triangles_;
  double distance_;
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
  void exclude(Enclosure enclosure) { enclosures_.push_back(std::move(enclosure)); }

  [[nodiscard]] const Lattice& lattice() const { return lattice_; }
  [[nodiscard]] bool exhausted() const { return work_.evaluations_left < 0; }
  void charge() { --work_.evaluations_left; }

  // Of everything included. [m]
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

  // `visit(box)` returns false to end the walk. `discard(box)` is true where no seed matters.
  template <typename Visit, typename Discard>
  void run(Visit&& visit, Discard&& discard) {
    const IndexBox box = lattice_.box(bounds());
    if (!box.empty() && !exhausted()) descend(box, 0, shapes_.size(), false, visit, discard);
  }

 private:
  struct Candidate {
    const Shape* shape;
    bool excluded;
  };

  // shapes_[first, last) are those that are undecided for the box around this one; `inside` says
  // that a region holds it whole.
  template <typename Visit, typename Discard>
  bool descend(const IndexBox& box, std::size_t first, std::size_t last, bool inside, Visit& visit,
               Discard& discard) {
    if (discard(box)) return true;
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
        go_on = descend(low, kept_first, kept_last, inside, visit, discard) &&
                descend(high, kept_first, kept_last, inside, visit, discard);
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
      const std::optional<bool> has = enclosure.has(center, radius);
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
  std::vector<Candidate> shapes_;  // Those given, then the undecided ones of each level below.
  std::vector<Enclosure> enclosures_;
  SeedWork& work_;
};

bool keep_all(const IndexBox& /*box*/) { return false; }

void carve(SeedWalk& walk, const Scene& scene, std::size_t fluid) {
  for (const Obstacle& obstacle : scene.obstacles)
    walk.exclude(obstacle.shape);
  for (std::size_t before = 0; before < fluid; ++before) {
    for (const Shape& region : scene.fluids[before].regions)
      walk.exclude(region);
  }
  if (scene.coupling.method == CouplingMethod::one_way) return;  // Fluid goes through solids.
  for (const RigidBody& body : scene.rigid_bodies)
    walk.exclude(Enclosure(body.mesh, scene.coupling.contact_distance));
}

SeedWalk walk_fluid(const Scene& scene, std::size_t fluid, SeedWork& work) {
  SeedWalk walk(scene, work);
  for (const Shape& region : scene.fluids[fluid].regions)
    walk.include(region);
  carve(walk, scene, fluid);
  return walk;
}

SeedCount count(SeedWalk& walk, std::int64_t limit) {
  SeedCount answer{0, SeedOutcome::complete};
  walk.run(
      [&](const IndexBox& box) {
        answer.count += std::min(box.count(), limit + 1);
        return answer.count <= limit;
      },
      keep_all);
  if (walk.exhausted()) answer.outcome = SeedOutcome::too_intricate;
  if (answer.count > limit) answer.outcome = SeedOutcome::too_many;
  return answer;
}

template <typename Visit>
void for_each_index(const IndexBox& box, Visit&& visit) {
  for (std::int64_t i = box.lower[0]; i < box.upper[0]; ++i) {
    for (std::int64_t j = box.lower[1]; j < box.upper[1]; ++j) {
      for (std::int64_t k = box.lower[2]; k < box.upper[2]; ++k)
        visit(i, j, k);
    }
  }
}

// A point of the lattice in `box` that `discard` does not rule out.
template <typename Discard>
std::optional<Vec3> find_point(const Lattice& lattice, const IndexBox& box, Discard& discard) {
  if (discard(box)) return std::nullopt;
  if (box.count() == 1) return lattice.point(box.lower[0], box.lower[1], box.lower[2]);
  const auto [low, high] = halves(box);
  const std::optional<Vec3> found = find_point(lattice, low, discard);
  return found ? found : find_point(lattice, high, discard);
}

// A seed of the walk's fluid in a box that `is_out_of_reach` lets pass whenever it may hold one
// that is wanted, and in no other of single points.
template <typename IsOutOfReach>
std::optional<Vec3> find_seed(SeedWalk& walk, const IsOutOfReach& is_out_of_reach) {
  const auto discard = [&](const IndexBox& box) {
    walk.charge();
    return walk.exhausted() || is_out_of_reach(box);
  };
  std::optional<Vec3> found;
  walk.run(
      [&](const IndexBox& box) {
        found = find_point(walk.lattice(), box, discard);
        return !found;
      },
      discard);
  return found;
}

template <std::size_t N>
bool overlap(const geometry::Bounds& bounds, const std::array<Vec3, N>& points) {
  Vec3 lower = points[0], upper = points[0];
  for (const Vec3& point : points) {
    lower = lower.cwiseMin(point);
    upper = upper.cwiseMax(point);
  }
  return (upper.array() >= bounds.lower.array()).all() &&
         (lower.array() <= bounds.upper.array()).all();
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

SeedCount count_seeds(const Scene& scene, std::size_t fluid, std::int64_t limit, SeedWork& work) {
  SeedWalk walk = walk_fluid(scene, fluid, work);
  return count(walk, limit);
}

SeedCount count_region_seeds(const Scene& scene, std::size_t fluid, std::size_t region, bool carved,
                             std::int64_t limit, SeedWork& work) {
  SeedWalk walk(scene, work);
  walk.include(scene.fluids[fluid].regions[region]);
  if (carved) carve(walk, scene, fluid);
  return count(walk, limit);
}

std::vector<Vec3> seed_positions(const Scene& scene, std::size_t fluid) {
  SeedWork unbounded{std::numeric_limits<std::int64_t>::max()};
  SeedWalk walk = walk_fluid(scene, fluid, unbounded);
  std::vector<Vec3> positions;
  walk.run(
      [&](const IndexBox& box) {
        for_each_index(box, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
          positions.push_back(walk.lattice().point(i, j, k));
        });
        return true;
      },
      keep_all);
  return positions;
}

CloseSeedSearch find_close_seed(const Scene& scene, std::size_t fluid,
                                const geometry::TriangleMesh& mesh, double distance,
                                SeedWork& work) {
  SeedWalk walk = walk_fluid(scene, fluid, work);
  const Lattice& lattice = walk.lattice();
  geometry::Bounds reach = walk.bounds();
  reach.lower.array() -= distance;
  reach.upper.array() += distance;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const geometry::Triangle triangle = corners(mesh, t);
    if (!overlap(reach, std::array{triangle.a, triangle.b, triangle.c})) continue;
    const std::optional<Vec3> found = find_seed(walk, [&](const IndexBox& box) {
      const double near = lattice.radius(box) + distance;
      return geometry::nearest_point(triangle, lattice.center(box)).squared_distance >= near * near;
    });
    if (walk.exhausted()) return {std::nullopt, false};
    if (found) return {CloseSeed{*found, t}, true};
  }
  return {std::nullopt, true};
}

InnerSeedSearch find_inner_seed(const Scene& scene, std::size_t fluid,
                                const geometry::TetMesh& volume, SeedWork& work) {
  SeedWalk walk = walk_fluid(scene, fluid, work);
  const Lattice& lattice = walk.lattice();
  for (std::size_t t = 0; t < volume.tets.size(); ++t) {
    const geometry::Tetrahedron tet = geometry::corners_of(volume, volume.tets[t]);
    const std::array points{tet.a, tet.b, tet.c, tet.d};
    if (!overlap(walk.bounds(), points)) continue;
    std::array<Vec3, 4> outward;
    for (std::size_t i = 0; i < 4; ++i) {
      const auto& face = geometry::tet_faces[i];
      const Vec3& p = points[face[0]];
      outward[i] = (points[face[1]] - p).cross(points[face[2]] - p).normalized();
    }
    const std::optional<Vec3> found = find_seed(walk, [&](const IndexBox& box) {
      for (std::size_t i = 0; i < 4; ++i) {
        const Vec3& on_face = points[geometry::tet_faces[i][0]];
        if (outward[i].dot(lattice.center(box) - on_face) >= lattice.radius(box)) return true;
      }
      return false;
    });
    if (walk.exhausted()) return {std::nullopt, false};
    if (found) return {InnerSeed{*found, t}, true};
  }
  return {std::nullopt, true};
}

}  // namespace sluice::scene
