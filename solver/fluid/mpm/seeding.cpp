// SPDX-License-Identifier: Apache-2.0
#include "solver/fluid/mpm/seeding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "solver/fluid/mpm/grid_frame.h"
#include "solver/geometry/shape.h"
#include "solver/parallel/parallel_for.h"

namespace sluice::fluid {

namespace {

constexpr std::int64_t layers_at_once = 16;  // Between two looks at the limit.

bool holds(std::span<const geometry::Shape> shapes, const Vec3& point) {
  return std::any_of(shapes.begin(), shapes.end(), [&](const geometry::Shape& shape) {
    return geometry::signed_distance(shape, point).distance < 0;
  });
}

struct Lattice {
  Vec3 first;      // [m] position of point (0, 0, 0)
  double spacing;  // [m]
  std::array<std::int64_t, 3> size;

  [[nodiscard]] Vec3 point(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return first +
           spacing * Vec3(static_cast<double>(i), static_cast<double>(j), static_cast<double>(k));
  }
};

Lattice make_lattice(const scene::Scene& scene) {
  const GridFrame frame(scene);
  const double spacing = scene.grid.cell_size / scene.grid.particles_per_axis;
  Lattice lattice{scene.domain_lower + Vec3::Constant(spacing / 2), spacing, {}};
  for (std::size_t a = 0; a < 3; ++a) {
    lattice.size[a] = static_cast<std::int64_t>(frame.wall_upper[a] - GridFrame::wall_lower) *
                      scene.grid.particles_per_axis;
  }
  return lattice;
}

struct IndexBox {
  std::array<std::int64_t, 3> first, last;
};

// Lattice points near the regions of a fluid.
IndexBox index_bounds(const Lattice& lattice, std::span<const geometry::Shape> regions) {
  IndexBox box{lattice.size, {0, 0, 0}};
  for (const geometry::Shape& region : regions) {
    const geometry::Bounds bounds = geometry::bounds(region);
    for (std::size_t a = 0; a < 3; ++a) {
      const auto axis = static_cast<Eigen::Index>(a);
      const auto size = static_cast<double>(lattice.size[a]);
      const auto index = [&](double x) {  // Clamped as a double: a half-space is unbounded.
        return std::clamp((x - lattice.first[axis]) / lattice.spacing, -1.0, size);
      };
      box.first[a] = std::min(
          box.first[a], std::max<std::int64_t>(
                            0, static_cast<std::int64_t>(std::floor(index(bounds.lower[axis])))));
      box.last[a] =
          std::max(box.last[a],
                   std::min(lattice.size[a],
                            static_cast<std::int64_t>(std::ceil(index(bounds.upper[axis]))) + 1));
    }
  }
  return box;
}

// Calls sink(fluid, points) with the seeds, in order, some at a time, until it returns false.
template <typename Sink>
void visit_seeds(const scene::Scene& scene, Sink&& sink) {
  const Lattice lattice = make_lattice(scene);
  std::vector<geometry::Shape> taken;  // Obstacles, then the regions of the fluids before.
  taken.reserve(scene.obstacles.size());
  for (const scene::Obstacle& obstacle : scene.obstacles)
    taken.push_back(obstacle.shape);

  for (std::size_t fluid = 0; fluid < scene.fluids.size(); ++fluid) {
    const std::vector<geometry::Shape>& regions = scene.fluids[fluid].regions;
    const IndexBox box = index_bounds(lattice, regions);
    std::array<std::vector<Vec3f>, layers_at_once> layers;
    for (std::int64_t start = box.first[0]; start < box.last[0]; start += layers_at_once) {
      const std::int64_t stop = std::min(start + layers_at_once, box.last[0]);
      parallel::parallel_for(start, stop, 1, [&](std::int64_t i, std::int64_t) {
        std::vector<Vec3f>& layer = layers[static_cast<std::size_t>(i - start)];
        layer.clear();
        for (std::int64_t j = box.first[1]; j < box.last[1]; ++j) {
          for (std::int64_t k = box.first[2]; k < box.last[2]; ++k) {
            const Vec3 point = lattice.point(i, j, k);
            if (holds(regions, point) && !holds(taken, point)) layer.push_back(point.cast<float>());
          }
        }
      });
      for (std::int64_t i = start; i < stop; ++i) {
        if (!sink(fluid, layers[static_cast<std::size_t>(i - start)])) return;
      }
    }
    taken.insert(taken.end(), regions.begin(), regions.end());
  }
}

}  // namespace

Seeds seed_particles(const scene::Scene& scene) {
  Seeds seeds{{}, std::vector<std::int64_t>(scene.fluids.size(), 0)};
  visit_seeds(scene, [&](std::size_t fluid, const std::vector<Vec3f>& points) {
    seeds.positions.insert(seeds.positions.end(), points.begin(), points.end());
    seeds.counts[fluid] += static_cast<std::int64_t>(points.size());
    return true;
  });
  return seeds;
}

std::int64_t count_particles(const scene::Scene& scene, std::int64_t limit) {
  std::int64_t count = 0;
  visit_seeds(scene, [&](std::size_t, const std::vector<Vec3f>& points) {
    count += static_cast<std::int64_t>(points.size());
    return count <= limit;
  });
  return std::min(count, limit + 1);
}

}  // namespace sluice::fluid
