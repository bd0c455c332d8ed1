// SPDX-License-Identifier: Apache-2.0
#include "solver/contact/near_particles.h"

#include <algorithm>
#include <numeric>

#include "solver/parallel/parallel_reduce.h"

namespace sluice::contact {
namespace {

// Substeps that a list is made for, if all move on as fast.
constexpr double most_substeps = 8;
// Of the mean extent of triangles, the largest margin: beyond, a list holds particles that are near
// nothing, and each meets many triangles.
constexpr double extent_part = 1;
// Substeps that a list has to last to be worth making.
constexpr double fewest_substeps = 2;

constexpr std::int64_t grain = 2048;

double largest(std::int64_t count, const auto& value) {
  return parallel::parallel_reduce(
      0, count, grain, 0.0,
      [&](std::int64_t first, std::int64_t last) {
        double found = 0;
        for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
          found = std::max(found, value(i));
        return found;
      },
      [](double a, double b) { return std::max(a, b); });
}

// [m] By how much `box` is larger than `other`, at most, on any side.
double excess(const geometry::Bounds& box, const Vec3& lower, const Vec3& upper) {
  return (lower - box.lower).cwiseMax(box.upper - upper).maxCoeff();
}

}  // namespace

std::span<const std::int32_t> NearParticles::find(const MotionBounds& bounds,
                                                  std::span<const geometry::Bounds> boxes,
                                                  const geometry::SparseGrid& grid, double reach) {
  if (!is_valid(bounds, boxes, reach)) {
    reach_ = reach;
    make_list(bounds, boxes, grid);
  }
  return near_;
}

bool NearParticles::is_valid(const MotionBounds& bounds, std::span<const geometry::Bounds> boxes,
                             double reach) const {
  if (reach != reach_ || places_.size() != bounds.t0().particles.size() ||
      boxes_.size() != boxes.size())
    return false;
  const double of_boxes = largest(static_cast<std::int64_t>(boxes.size()), [&](std::size_t i) {
    return excess(boxes[i], boxes_[i].lower, boxes_[i].upper);
  });
  if (!(of_boxes <= margin_)) return false;
  return bounds.largest_particle_way(places_) <= margin_;
}

void NearParticles::make_list(const MotionBounds& bounds, std::span<const geometry::Bounds> boxes,
                              const geometry::SparseGrid& grid) {
  const std::span<const Vec3f> particles = bounds.t0().particles;
  places_.assign(particles.begin(), particles.end());
  boxes_.assign(boxes.begin(), boxes.end());
  double extent = 0;
  for (const geometry::Bounds& box : boxes)
    extent += (box.upper - box.lower).maxCoeff() / static_cast<double>(boxes.size());
  const double way = bounds.largest_particle_way(places_);
  margin_ = std::min(most_substeps * way, extent_part * extent);
  if (margin_ < fewest_substeps * way) {
    places_.clear();
    near_.resize(particles.size());
    std::iota(near_.begin(), near_.end(), 0);
    return;
  }
  const auto find = [&](std::int64_t first, std::int64_t last, std::vector<std::int32_t>& found) {
    for (auto i = static_cast<std::int32_t>(first); i < last; ++i) {
      const Vec3 place = places_[static_cast<std::size_t>(i)].cast<double>();
      const double padded =
          (1 + 1e-15) * (reach_ + 2 * margin_) + 1e-15 * place.cwiseAbs().maxCoeff();
      bool is_near = false;
      grid.for_each_overlap({place.array() - padded, place.array() + padded},
                            [&](std::int32_t) { is_near = true; });
      if (is_near) found.push_back(i);
    }
  };
  collector_.collect(static_cast<std::int64_t>(places_.size()), grain, find, near_);
}

}  // namespace sluice::contact
